"""Short forms and nicknames of given names, in English and neighbouring languages."""

from __future__ import annotations

from functools import cache

__all__ = ["FORMS", "are_forms_of_one_name", "formal_names"]

# one line a formal name, then its short forms; a short form may belong to several names
FORMS = """
abigail abby abbie gail
abraham abe bram
adelaide addie heidi ada
agnes aggie nessie
albert al bert bertie
alexander alex alec al sandy xander sasha lex
alexandra alex sandra sandy alexa lexie sasha
alfred al alf alfie fred
alice allie ally
alison ali allie ally
amanda mandy manda
amelia amy millie mel
andrea andie andi
andrew andy drew dru
angela angie ange
ann annie nan nancy anna anne hannah
anthony tony ant
antonia toni tonia
archibald archie baldie
arthur art artie
augustus gus augie
barbara barb babs barbie bobbie
bartholomew bart barty
beatrice bea trixie bee
benjamin ben benny benji
bernard bernie barney
bridget biddy bridie
caroline carrie caro lina carol
cassandra cass cassie sandra
catherine cathy kate katie kitty cat katherine kathryn kathleen kathy kat kay
cecilia cissy celia cis
charles charlie chuck chas chaz carl karl
charlotte lottie charlie lotte
christina chris tina chrissie christine
christine chris tina chrissie
christopher chris kit topher kris
clarence clare clarrie
clifford cliff
constance connie
cornelius neil con connie
cynthia cindy
daniel dan danny
david dave davy davey
deborah deb debbie debra
dennis den denny
diana di diane
dominic dom nick
donald don donny
dorothy dot dottie dolly dora
douglas doug dougie
edith edie
edmund ed eddie ned ted
edward ed eddie ned ted teddy
eleanor ellie nell nelly nora elinor ella lena
elizabeth liz lizzie beth betty betsy bess eliza elsie libby lisa bessie elspeth isabel lisbeth
ellen nell nelly ellie helen
emily em emmie millie
emma em emmie
ernest ernie
eugene gene
evelyn eve evie
ezekiel zeke
florence flo florrie flossie
frances fran fanny francie frankie
francis frank fran frankie
franklin frank
frederick fred freddie freddy fritz
gabriel gabe
gabrielle gabby elle
geoffrey geoff jeff
george georgie
georgina georgie gina
gerald gerry jerry
gerard gerry jerry
gertrude gertie trudy
gilbert gil bert
grace gracie
gregory greg gregg
gwendolyn gwen wendy
hannah anna nan
harold harry hal
harriet hattie harry
helen nell nelly lena ellen
henrietta etta hettie hetty
henry harry hank hal
herbert herb bert bertie
hubert bert hugh
ian iain john
irene rene
isaac ike zac
isabel bell bella belle izzy isabella isabelle
isabella bell bella belle izzy
jacob jake jack
jacqueline jackie jacqui
james jim jimmy jamie jem
jane janie jenny janet
janet jan jenny
jason jay
jean jeannie jeanne
jeffrey jeff geoff
jennifer jen jenny jenna
jeremiah jerry jem
jeremy jerry jez
jessica jess jessie
joan joanie
joanna jo joanne
john jack johnny jon johnnie
jonathan jon jonny nathan johnny
joseph joe joey jo
josephine jo josie
joshua josh
joyce joy
judith judy jude
julia julie jill
julian jules
katherine kate katie kathy kitty kat kay cathy
kathleen kathy kath kay kate katie
kenneth ken kenny
kimberly kim
laura laurie lori
lawrence larry laurie lawrie laurence
leonard len lenny leo
leopold leo poldi
leslie les
lewis lew lou louis
lillian lily lil lilly
louis lou louie lew
louisa lou louie
louise lou lulu
lucille lucy
lucy lou lulu
madeline maddie maddy
magdalena magda lena
marcus mark marc
margaret maggie meg peggy marge margie greta daisy madge rita peg meggie margot
maria mary mia
marian mary
marjorie marge margie
martha marty patty
martin marty
mary molly polly may mamie minnie mae maria marie
matilda tilly mattie maud
matthew matt mat matty
maurice morris maury mo
maxwell max
maximilian max
melissa mel missy lissa
michael mike mick mickey micky mikey
michelle shelly mish
mildred millie
miranda mandy randy
mitchell mitch
montgomery monty
nancy nan
natalie nat nattie
nathan nat nate
nathaniel nat nate nathan
nicholas nick nicky nico klaus
nicola nicky nikki
nicole nicky nikki
norman norm
oliver ollie olly noll
olivia liv livvy ollie
oscar ossie
oswald oz ossie
pamela pam
patricia pat patty trish tricia patsy
patrick pat paddy rick
paul paulie
paula polly
penelope penny
percival percy
peter pete
philip phil pip phillip
philippa pip pippa
phyllis phyl
priscilla cilla prissy
prudence prue
rachel rae
ralph rafe
randolph randy dolph
raymond ray
rebecca becky becca beck
reginald reg reggie rex
richard dick rick ricky rich richie rob dickie
robert bob bobby rob robbie bert robin rab bobbie
roberta bobbie robbie
roderick rod roddy
rodney rod
roger rodge hodge
roland rollo rowley
ronald ron ronnie
rosemary rose rosie
rudolph rudy dolph rolf
rupert bert
russell russ rusty
samantha sam sammy
samuel sam sammy
sarah sally sadie sal sara
sebastian seb bas
sharon shaz shari
sidney sid
silas si
simon si
solomon sol solly
sophia sophie fifi
stanley stan
stephanie steph stevie
stephen steve stevie steven ste
steven steve stevie stephen
stuart stu stewart
susan sue susie suzy sukey
susannah sue susie sukey hannah
suzanne sue suzy
sylvester sly vester
sylvia syl
tabitha tabby
terence terry
teresa terry tess tessa tracy theresa
thaddeus thad tad
theodora dora thea
theodore ted teddy theo
theresa terry tess tessa
thomas tom tommy thom
timothy tim timmy
tobias toby
ulysses lyss
ursula ulla
valentine val
valerie val
vanessa nessa
veronica ronnie vera nica
victor vic
victoria vicky vick tori vikki
vincent vince vinny
violet vi
virginia ginny ginger
vivian viv
wallace wally
walter walt wally wat
wilfred wilf will fred
wilhelmina minnie mina billie
william will bill billy willie liam willy
winifred winnie freda
winston win winnie
zachary zac zach zack
"""


@cache
def formal_names() -> dict[str, tuple[int, ...]]:
    """The numbers of the formal names of which each name is a form."""
    numbers: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(FORMS.split("\n")):
        for name in dict.fromkeys(line.split()):
            numbers[name] = (*numbers.get(name, ()), number)
    return numbers


def are_forms_of_one_name(first: str, second: str) -> bool:
    """Whether two names are forms of one formal name."""
    names = formal_names()
    return bool(set(names.get(first, ())) & set(names.get(second, ())))
