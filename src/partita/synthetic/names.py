"""Names of people: common names first, then thousands composed of syllables.

The tables were written for this package. Names are in order of rank, so that a Zipf law over the
indexes makes few names common and most names rare.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from partita.synthetic.cells import Cells, encode
from partita.synthetic.draws import Draws, Ints

__all__ = [
    "GIVEN",
    "MEN",
    "NAME_WIDTH",
    "SURNAMES",
    "WOMEN",
    "Given",
    "build_given_names",
    "compose_words",
    "surnames",
]

NAME_WIDTH = 36
"""Maximum characters of a name."""
GIVEN = 2000
"""Given names of each sex."""
SURNAMES = 100_000
"""Surnames in ASCII."""

MEN = """
James Jim Jimmy Jamie; John Jack Johnny Jon; Robert Bob Rob Bobby Robbie; Michael Mike Mick
Mickey; William Bill Will Billy Willie; David Dave Davey; Richard Rick Dick Rich Ricky; Thomas Tom
Tommy; Joseph Joe Joey; Charles Charlie Chuck Chas; Christopher Chris Kit Topher; Daniel Dan
Danny; Matthew Matt Matty; Anthony Tony Ant; Mark; Donald Don Donny; Steven Steve Stevie; Paul
Paulie; Andrew Andy Drew; Joshua Josh; Kenneth Ken Kenny; Kevin Kev; Brian; George Georgie; Edward
Ed Eddie Ted Ned; Ronald Ron Ronnie; Timothy Tim Timmy; Jason Jay; Jeffrey Jeff; Ryan; Jacob Jake;
Gary Gaz; Nicholas Nick Nicky; Eric; Jonathan Jon Jonny; Stephen Steve Steph; Larry; Justin; Scott
Scotty; Brandon; Benjamin Ben Benny Benji; Samuel Sam Sammy; Gregory Greg; Alexander Alex Al Sandy
Xander; Patrick Pat Paddy; Frank Frankie; Raymond Ray; Dennis Den Denny; Jerry; Tyler Ty; Aaron;
Jose Pepe; Adam; Nathan Nate; Henry Hank Harry Hal; Zachary Zach Zack; Douglas Doug; Peter Pete;
Kyle; Noah; Ethan; Jeremy Jem; Walter Walt Wally; Christian Chris; Keith; Roger Rodge; Terry;
Austin; Sean; Gerald Gerry; Carl; Harold Harry Hal; Dylan Dyl; Arthur Art Artie; Lawrence Larry
Laurie; Jordan; Jesse Jess; Bryan; Joe; Bruce; Gabriel Gabe; Logan; Albert Al Bert Bertie; Alan
Al; Juan; Roy; Eugene Gene; Randall Randy; Vincent Vince Vinny; Russell Russ; Louis Lou Louie;
Philip Phil Pip; Bobby; Johnny; Bradley Brad; Wayne; Martin Marty; Leonard Len Lenny Leo; Stanley
Stan; Victor Vic; Frederick Fred Freddie Fritz; Theodore Ted Theo Teddy; Alfred Alf Fred Alfie;
Ernest Ernie; Francis Frank Fran; Edwin Ed Eddie; Clarence; Maurice Mo; Howard Howie; Leo; Oscar
Oz; Hugh Hughie; Simon Si; Ian; Graham; Neil; Colin; Stuart Stu; Duncan; Malcolm Mal; Nigel Nige;
Trevor Trev; Clive; Derek; Geoffrey Geoff; Barry Baz; Adrian Ade; Marcus Marc; Dominic Dom;
Sebastian Seb Bas; Isaac Ike Zac; Elijah Eli; Abraham Abe Bram; Solomon Sol; Reuben Rube; Caleb
Cal; Lucas Luke; Luke; Owen; Gareth Gaz; Rhys; Callum Cal; Ewan; Angus Gus; Augustus Gus; Gustav
Gus; Rufus; Julian Jules; Jules; Felix; Max; Maximilian Max; Oliver Ollie Ol; Harvey Harv; Leslie
Les; Lester Les; Norman Norm; Cecil; Ralph; Hubert Bert; Herbert Herb Bert; Gilbert Gil Bert;
Reginald Reg Reggie; Rupert; Percival Percy; Wilfred Wilf; Lewis Lew; Lionel; Raphael Raf; Rafael
Rafa; Miguel; Carlos; Luis; Antonio Toni; Manuel Manny Manolo; Francisco Paco Pancho; Pedro;
Diego; Javier Javi; Roberto Beto; Ricardo Rico; Eduardo Edu; Fernando Nando; Alejandro Ale;
Giovanni Gianni Gio; Giuseppe Beppe; Marco; Luca; Matteo; Stefano; Hans; Karl; Heinrich Heinz;
Johannes Hannes; Wolfgang Wolf; Klaus; Friedrich Fritz; Jan; Pieter Piet; Cornelis Cees; Willem
Wim; Erik; Lars; Nils; Sven; Anders; Ivan Vanya; Dmitri Dima; Alexei Alyosha; Sergei Seryozha;
Mikhail Misha; Nikolai Kolya; Vladimir Vova; Pavel Pasha; Ahmed; Mohammed Mo; Omar; Ali; Hassan;
Ibrahim Ibo; Yusuf; Raj; Arjun; Vikram Vik; Sanjay; Wei; Ming; Hiroshi; Kenji; Takashi; Minh;
Tuan; Kwame; Chidi
"""

WOMEN = """
Mary Molly Polly May; Patricia Pat Patty Trish Tricia; Jennifer Jen Jenny; Linda Lindy; Elizabeth
Liz Beth Betty Lizzie Eliza Betsy; Barbara Barb Babs; Susan Sue Susie; Jessica Jess Jessie; Sarah
Sally Sadie; Karen Kaz; Lisa; Nancy Nan; Betty; Margaret Maggie Meg Peggy Marge Greta; Sandra
Sandy; Ashley Ash; Kimberly Kim Kimmy; Emily Em Emmy; Donna; Michelle Shelly; Carol; Amanda Mandy;
Dorothy Dot Dolly Dottie; Melissa Mel Missy; Deborah Deb Debbie; Stephanie Steph Stevie; Rebecca
Becky Becca; Sharon Shaz; Laura Laurie; Cynthia Cindy; Kathleen Kathy Kath; Amy; Angela Angie;
Shirley Shirl; Anna Annie; Brenda Bren; Pamela Pam; Emma Em; Nicole Nicky Nikki; Helen Nell
Nellie; Samantha Sam Sammy; Katherine Kate Kathy Katie Kitty Kay; Christine Chris Chrissie Tina;
Debra Deb; Rachel Rach; Carolyn Carrie; Janet Jan; Catherine Cathy Cath Kate Cat; Maria Mia;
Heather; Diane Di; Ruth Ruthie; Julie Jules; Olivia Liv Livvy; Joyce; Virginia Ginny Ginger;
Victoria Vicky Tori; Kelly Kel; Lauren; Christina Tina Chris; Joan Joanie; Evelyn Evie; Judith
Judy Jude; Megan Meg; Andrea Andie; Cheryl Cher; Hannah; Jacqueline Jackie; Martha Marty; Gloria;
Teresa Terry Tess Tessa; Ann Annie Nan; Sara; Madison Maddie; Frances Fran Franny; Kathryn Kath
Kate; Janice Jan; Jean Jeanie; Abigail Abby Gail; Alice Ally; Julia Jules; Judy; Sophia Sophie;
Grace Gracie; Denise; Amber; Doris; Marilyn; Danielle Dani; Beverly Bev; Isabella Bella Izzy
Belle; Theresa Terry Tess; Diana Di; Natalie Nat; Brittany Britt; Charlotte Lottie Charlie; Marie;
Kayla Kay; Alexis Lexi; Lori; Eleanor Ellie Nell Nora; Florence Flo Florrie; Matilda Tilly Mattie;
Harriet Hattie; Henrietta Etta Hettie; Georgina Gina Georgie; Josephine Jo Josie; Philippa Pippa
Pip; Penelope Penny; Gillian Gill Jill; Jillian Jill; Vanessa Nessa; Veronica Ronnie Vera;
Winifred Winnie Freda; Wilhelmina Mina Billie; Rosemary Rosie Rose; Rosalind Ros; Roxanne Roxy;
Alexandra Alex Sandra Lexi; Alison Ali; Antonia Toni; Augusta Gussie; Beatrice Bea Trixie; Bridget
Biddy; Caroline Caro Carrie; Cassandra Cass Cassie; Cecilia Cissy Celia; Clara; Constance Connie;
Cordelia Delia; Daisy; Daphne; Dora; Edith Edie; Edna; Eileen; Elaine; Ellen Nell; Eloise; Elsie;
Esther Essie Hetty; Ethel; Eugenia Genie; Eva Evie; Fiona Fi; Gabrielle Gabby; Genevieve Jen Viv;
Geraldine Gerry; Gertrude Gert Trudy; Gwendolyn Gwen; Hazel; Hilary; Imogen Immy; Irene Rene;
Isabel Izzy Bel; Ivy; Jane Janie; Joanna Jo; Jocelyn Joss; Kirsten; Leah; Lillian Lily Lil;
Lorraine Lori; Louise Lou; Lucille Lucy; Lucy Lu; Lydia; Mabel; Madeleine Maddie; Magdalena Lena
Magda; Marjorie Marge; Maureen Mo; Mildred Millie; Millicent Millie; Minnie; Miranda Mandy; Miriam
Mim; Muriel; Naomi; Nadia; Nina; Nora; Pauline; Phoebe; Phyllis Phyl; Priscilla Cilla; Prudence
Pru; Rita; Roberta Bobbie; Ruby; Sabrina; Sheila; Sylvia; Tabitha Tabby; Tamara Tammy; Thelma;
Ursula; Valerie Val; Vera; Viola Vi; Violet Vi; Vivian Viv; Wanda; Wendy; Yvonne; Zoe; Carmen;
Lucia; Elena Lena; Dolores Lola; Guadalupe Lupe; Francesca Fran Cesca; Giulia; Chiara; Ingrid;
Astrid; Greta; Heidi; Katrin; Anneke; Saskia; Tatiana Tanya; Natalia Natasha; Ekaterina Katya;
Olga Olya; Svetlana Sveta; Irina Ira; Fatima; Aisha; Leila; Zeynep; Priya; Anjali Anju; Lakshmi;
Mei; Lin; Yuki; Sakura; Linh
"""

ACCENTED = (
    "José André René François Jérôme Sébastien Jürgen Jörg Günther Björn Søren Jørgen Åke Håkan "
    "Łukasz Paweł Michał Tomáš Jiří Ondřej Václav Raúl Jesús Andrés Nicolás Sebastián João "
    "Tomás Mehmet-Özgür Çağlar Şükrü László Gábor István",
    "Zoë Chloé Hélène Irène Mélanie Noémie Amélie Anaïs Françoise Käthe Bärbel Jördis Åsa Märta "
    "Małgorzata Agnieszka-Łucja Zdeňka Kateřina Růžena Božena Lucía Inés Mónica Sofía Verónica "
    "Conceição Ayşe Gülşen Özlem Şebnem Zsófia Ágnes Éva Márta",
)

COMMON = """
Smith Johnson Williams Brown Jones Miller Davis Wilson Taylor Anderson Thomas Moore Martin Jackson
Thompson White Lee Harris Clark Lewis Walker Hall Allen Young King Wright Green Baker Adams Nelson
Hill Campbell Mitchell Roberts Carter Phillips Evans Turner Parker Collins Edwards Stewart Morris
Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Bell Kelly Howard Ward Cox Richardson Wood
Watson Brooks Bennett Gray Hughes Price Myers Long Foster Sanders Ross Powell Sullivan Russell
Fisher Henderson Hamilton Graham Reynolds Griffin Wallace West Cole Hayes Ford Gibson Ellis
Marshall Owens McDonald Harrison Kennedy Wells Woods Webb Simpson Stevens Tucker Porter Hunter
Hicks Crawford Boyd Mason Kelley Warren Dixon Burns Gordon Shaw Holmes Rice Robertson Hunt Black
Daniels Palmer Mills Nichols Grant Knight Stone Hawkins Dunn Perkins Hudson Spencer Gardner Payne
Pierce Berry Matthews Arnold Wagner Willis Ray Watkins Olson Carroll Duncan Snyder Hart Cunningham
Bradley Lane Andrews Harper Fox Riley Armstrong Carpenter Weaver Greene Lawrence Elliott Chapman
Sims Austin Peters Kelley Franklin Lawson Fields Ryan Schmidt Carr Vasquez Castillo Wheeler Oliver
Montgomery Richards Williamson Banks Meyer Bishop McCoy Howell Morrison Hansen Garza Harvey Little
Burton Stanley George Jacobs Reid Fuller Lynch Dean Gilbert Garrett Welch Larson Frazier Burke
Hanson Day Mendoza Moreno Bowman Medina Fowler Brewer Hoffman Carlson Silva Pearson Holland
Douglas Fleming Jensen Vargas Byrd Davidson Hopkins May Terry Herrera Wade Soto Walters Curtis
Neal Caldwell Lowe Jennings Barnett Graves Jimenez Horton Shelton Barrett Obrien Castro Sutton
Gregory McKinney Lucas Miles Craig Rodriquez Chambers Holt Lambert Fletcher Watts Bates Hale
Rhodes Pena Beck Newman Haynes McDaniel Mendez Bush Vaughn Parks Dawson Santiago Norris Hardy Love
Steele Curry Powers Schultz Barker Guzman Page Munoz Ball Keller Chandler Weber Leonard Walsh
Lyons Ramsey Wolfe Schneider Mullins Benson Sharp Bowen Daniel Barber Cummings Hines Baldwin
Griffith Valdez Hubbard Salazar Reeves Warner Stevenson Burgess Santos Tate Cross Garner Mann Mack
Moss Thornton Dennis McGee Farmer Delgado Aguilar Vega Glover Manning Cohen Harmon Rodgers Robbins
Newton Todd Blair Higgins Ingram Reese Cannon Strickland Townsend Potter Goodwin Walton Rowe
Hampton Ortega O'Brien O'Connor O'Neill D'Angelo MacLeod Fitzgerald Wang Li Zhang Chen Liu Yang
Huang Zhao Wu Zhou Kim Park Choi Nguyen Tran Pham Singh Patel Kumar Sharma Khan Ahmed Ali Sato
Suzuki Tanaka Watanabe Garcia Martinez Lopez Gonzalez Hernandez Perez Sanchez Ramirez Torres
Flores Rivera Gomez Diaz Cruz Reyes Morales Gutierrez Ortiz Ramos Ruiz Alvarez Rossi Russo Ferrari
Esposito Bianchi Romano Muller Fischer Becker Schulz Richter Klein Wolf Neumann Braun Kowalski
Nowak Wisniewski Novak Ivanov Petrov Smirnov Popov Jansen Bakker Visser
"""

MALE_PARTS = (
    "Al Bar Ber Bran Cal Car Cor Dar Del Don Ed El Em Fer Gar Ger Hal Har Jar Jor Kel Ken Lan "
    "Len Lor Mar Mer Mor Nor Or Per Ral Ran Rod Rol Ser Stan Tar Ter Tor Val Ver Wal Wen Wil "
    "Yor Zan",
    "an ar be de di e en er i in le li lo ma ne ni o ri ro vi",
    "bert card dan don dred fred gan man mund nan nard ric rick rin son ston ton ton vin win",
)
FEMALE_PARTS = (
    "Al Am An Ar Bel Ber Bri Cal Car Cel Cor Dan Del Dor El Em Er Fel Flo Gal Ger Hel Il Jan Jo "
    "Kar Kir Lar Lau Lor Mar Mel Mir Nat Nor Or Pal Ren Ros Sal Ser Syl Tam Tar Val Ver Vi Wil "
    "Yas Zel",
    "a an ar be da de e el en i il in is la li ma na o ri so",
    "bel da della dra la lena lia line lyn mina na nda nette nia nora ra ria rina sa ssa ta tha",
)
SURNAME_PARTS = (
    "Ab Al An Ar Bal Bar Bel Ben Ber Blan Bor Bran Bur Cal Can Car Cas Clar Col Cor Cran Dal "
    "Dan Del Den Dor Dun El Er Fal Far Fen Gal Gar Gor Gran Hal Ham Har Hor Jan Kal Kar Kir Lan "
    "Lar Lor Mal Man Mar Mor Nor Pal Par Ral Ran Ros San Sar Sel Stan Tal Tar Tor Val Var Ven "
    "Wal Wes Wil Yar Zel",
    "a al am an ar be ber bi bo bur by ca co da del der di do e el en er es fi ga ge gi go i il "
    "in is ka ke la le li lo ma mi mo na ne ni no o ol on or ra re ri ro sa se si so ta te ti "
    "to u ul va vi vo",
    "berg bury by dale den dorf er ford gate gren ham haus ini kov land ley lin low man mer "
    "mond nen ner ney ovic quist rick rigan rino sen ser shaw ski son stad stein ston strom ton "
    "vale well wick",
)
ACCENTED_PARTS = (
    "Bäck Böh Brü Dvoř Fern Göt Grön Gün Háj Hör Jør Kö Król Kříž Lö Łuk Mä Mü Nåd Nú Øst Özt "
    "Pé Peř Rö Růž Sá Schä Schrö Sjö Šim Söd Şah Stå Tür Ve Vö Wój Žák Zü",
    "álek ález án ård ås berg dé én ér érez ez ğlu ič ík in kö ler lić mann ner nez ø öz ök "
    "qvist rück ski sław sö ström tek ú üs ý zić ża",
)


class Given(NamedTuple):
    """All given names: men's, women's, then both with accents, then short forms."""

    cells: Cells
    starts: Ints
    """Offsets of the men's, women's, accented men's and accented women's names."""
    short: Ints
    """Short forms of each name, by place, padded with -1."""
    shorts: Ints
    """The number of short forms of each name."""


def compose_words(parts: tuple[str, ...], limit: int) -> list[str]:
    """Compose words of one piece of each part, in pseudo-random order."""
    words = [""]
    for part in parts:
        words = [word + piece for word in words for piece in part.split()]
    order = np.argsort(Draws(0).bits("composed", np.arange(len(words))), kind="stable")
    return list(dict.fromkeys(words[place] for place in order.tolist()))[:limit]


@cache
def build_given_names() -> Given:
    """Build the table of given names."""
    rows = [[row.split() for row in text.split(";")] for text in (MEN, WOMEN)]
    lists = [
        list(dict.fromkeys([*(row[0] for row in table), *compose_words(parts, 2 * GIVEN)]))[:GIVEN]
        for table, parts in zip(rows, (MALE_PARTS, FEMALE_PARTS), strict=True)
    ]
    lists += [words.split() for words in ACCENTED]
    starts = np.cumsum([0, *(len(words) for words in lists)])
    shorts = list(dict.fromkeys(word for table in rows for row in table for word in row[1:]))
    place = {word: int(starts[-1]) + rank for rank, word in enumerate(shorts)}
    total = int(starts[-1]) + len(shorts)
    table = np.full((total, max(len(row) for name_rows in rows for row in name_rows) - 1), -1)
    for start, words, name_rows in zip(starts.tolist(), lists, rows, strict=False):
        for row in name_rows:
            name_place = start + words.index(row[0])
            table[name_place, : len(row) - 1] = [place[word] for word in row[1:]]
    words = [word for names in lists for word in names] + shorts
    return Given(encode(words, NAME_WIDTH), starts, table, np.count_nonzero(table >= 0, axis=1))


@cache
def surnames() -> tuple[Cells, int]:
    """All surnames, and the index of the first non-ASCII surname."""
    common = [*COMMON.split(), *compose_words(SURNAME_PARTS, 2 * SURNAMES)]
    common = list(dict.fromkeys(common))[:SURNAMES]
    accented = [word for word in compose_words(ACCENTED_PARTS, 2000) if not word.isascii()]
    return encode([*common, *accented], NAME_WIDTH), len(common)
