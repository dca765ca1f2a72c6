"""Words of titles of films and albums in three languages, and names of people and bands."""

from __future__ import annotations

from functools import cache

from partita.synthetic.cells import to_strings
from partita.synthetic.company_words import family_names
from partita.synthetic.dice import Dice
from partita.synthetic.names import GIVEN, build_given_names, compose_words

__all__ = [
    "ALBUM_GENRES",
    "FILM_GENRES",
    "ROMAN",
    "build_person",
    "build_title",
    "labels",
    "translate",
    "write_person",
]

ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
FILM_GENRES = (
    *(("Sci-Fi", "Science Fiction", "SF"), ("Drama", "drama", "Dramatic Film")),
    *(("Comedy", "comedy", "Humor"), ("Thriller", "Suspense", "thriller")),
    *(("Romance", "Romantic", "Love Story"), ("Documentary", "Docu", "Non-fiction")),
    *(("Horror", "horror", "Horror Film"), ("Action", "Action & Adventure", "action")),
    *(("Animation", "Animated", "Family & Animation"), ("Western", "western", "Westerns")),
    *(("Crime", "Crime Film", "Film Noir"), ("Music", "Musical", "Music & Musicals")),
)
"""Genres of films, as three vocabularies name them."""
ALBUM_GENRES = (
    *(("Rock", "rock", "Rock & Pop"), ("Jazz", "jazz", "Jazz & Blues"), ("Folk", "folk", "Folk")),
    *(("Hip Hop", "Hip-Hop/Rap", "rap"), ("Classical", "classical", "Klassik")),
    *(("Electronic", "Techno", "electronica"), ("Country", "country", "Country & Western")),
    *(("Soul", "R&B", "Soul/R&B"), ("Metal", "Heavy Metal", "metal"), ("Pop", "pop", "Rock & Pop")),
    *(("Reggae", "reggae", "World"), ("Soundtrack", "OST", "soundtrack")),
)
"""Genres of albums, as three vocabularies name them."""

NOUNS = """
River Fluss Rivière; Night Nacht Nuit; Garden Garten Jardin; Shadow Schatten Ombre; Winter Winter
Hiver; Summer Sommer Été; House Haus Maison; Mirror Spiegel Miroir; Storm Sturm Tempête; King König
Roi; Queen Königin Reine; Letter Brief Lettre; Pilgrim Pilger Pèlerin; Road Weg Route; Island
Insel Île; Fire Feuer Feu; Silence Stille Silence; Promise Versprechen Promesse; Wolf Wolf Loup;
Bird Vogel Oiseau; Mountain Berg Montagne; Sea Meer Mer; Sky Himmel Ciel; Star Stern Étoile; Dream
Traum Rêve; Heart Herz Coeur; Secret Geheimnis Secret; War Krieg Guerre; City Stadt Ville; Train Zug
Train; Ghost Geist Fantôme; Child Kind Enfant; Captain Kapitän Capitaine; Detective Detektiv
Détective; Doctor Arzt Docteur; Widow Witwe Veuve; Sister Schwester Soeur; Brother Bruder Frère;
Witness Zeuge Témoin; Judge Richter Juge; Thief Dieb Voleur; Hunter Jäger Chasseur; Soldier Soldat
Soldat; Teacher Lehrer Professeur; Pirate Pirat Pirate; Planet Planet Planète; Machine Maschine
Machine; Key Schlüssel Clé; Door Tür Porte; Bridge Brücke Pont; Tower Turm Tour; Forest Wald Forêt;
Lake See Lac; Snow Schnee Neige; Rain Regen Pluie; Sun Sonne Soleil; Moon Mond Lune; Dance Tanz
Danse; Song Lied Chanson; Game Spiel Jeu; Dog Hund Chien; Horse Pferd Cheval; Crown Krone Couronne;
Sword Schwert Épée; Diamond Diamant Diamant; Clock Uhr Horloge; Circus Zirkus Cirque; Journey Reise
Voyage; Memory Erinnerung Mémoire; Return Rückkehr Retour; Revenge Rache Vengeance; Legend Legende
Légende; Empire Reich Empire; Kingdom Königreich Royaume; Echo Echo Écho; Harbour Hafen Port
"""
ADJECTIVES = """
Last Letzte Dernier; Lost Verlorene Perdu; Silent Stille Silencieux; Dark Dunkle Sombre; Golden
Goldene Doré; Broken Zerbrochene Brisé; Hidden Verborgene Caché; Red Rote Rouge; Blue Blaue Bleu;
Black Schwarze Noir; White Weisse Blanc; Wild Wilde Sauvage; Endless Endlose Infini; Eternal Ewige
Éternel; Secret Geheime Secret; Final Finale Final; Little Kleine Petit; Great Grosse Grand; Young
Junge Jeune; Old Alte Vieux; Perfect Perfekte Parfait; Strange Seltsame Étrange; Cold Kalte Froid;
Burning Brennende Brûlant; Forgotten Vergessene Oublié; Invisible Unsichtbare Invisible; Electric
Elektrische Électrique; Crystal Kristallene Cristal; Lonely Einsame Solitaire; Savage Wilde Féroce
"""
LITTLE = {
    "The": ("Die", "Le"),
    "A": ("Ein", "Un"),
    "of": ("von", "de"),
    "and": ("und", "et"),
    "in": ("in", "à"),
    "Without": ("Ohne", "Sans"),
    "Part": ("Teil", "Partie"),
    "Before": ("Vor", "Avant"),
    "Under": ("Unter", "Sous"),
    "My": ("Mein", "Mon"),
}
TITLES = (
    *(
        "The {a} {n}",
        "{n} of {m}",
        "The {n} and the {m}",
        "{a} {n}",
        "A {n} in {c}",
        "{n} Without {m}",
    ),
    *("The {n} of {c}", "{g} {f}", "My {a} {n}", "Under the {a} {n}", "Before the {n}", "{n}"),
    *("{k} {a} {n}s", "The {n}s of {f}", "{a} {n}, {b} {m}", "{g} and the {a} {n}"),
)
"""Patterns of titles from nouns, adjectives, a number, a city, and names of people."""
LABEL_PARTS = (
    "Amber Apollo Atlas Blue Crest Delta Ember Falcon Granite Harbor Indigo Jubilee Lunar Meridian "
    "North Onyx Parade Quartz Rialto Sable Tandem Umbra Velvet Willow Zephyr",
    "-Records -Music -Sound -Recordings -Discs -Audio -Pictures -Films -Studios -Entertainment",
)


def _read_words(table: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in table.split(";"))


@cache
def _vocabulary() -> tuple[tuple[str, ...], tuple[str, ...], dict[str, tuple[str, ...]]]:
    """English nouns, English adjectives, and translations of all words."""
    nouns, adjectives = _read_words(NOUNS), _read_words(ADJECTIVES)
    words = {row[0]: row[1:] for row in (*nouns, *adjectives)} | LITTLE
    return tuple(row[0] for row in nouns), tuple(row[0] for row in adjectives), words


@cache
def _given_names() -> tuple[str, ...]:
    names = to_strings(build_given_names().cells)
    return tuple(name for place in range(400) for name in (names[place], names[GIVEN + place]))


def build_title(dice: Dice, city: str) -> str:
    """Draw an English title."""
    nouns, adjectives, _ = _vocabulary()
    return dice.pick(TITLES).format(
        n=dice.pick(nouns),
        m=dice.pick(nouns),
        a=dice.pick(adjectives),
        b=dice.pick(adjectives),
        c=city,
        g=dice.pick(_given_names()),
        f=dice.pick_skewed(family_names()),
        k=dice.pick(("Two", "Three", "Seven", "Nine", "12", "100")),
    )


def translate(title: str, language: int) -> str:
    """Translate a title word by word: 0 leaves it in English, 1 is German, 2 is French."""
    if language == 0:
        return title
    words = _vocabulary()[2]
    return " ".join(words[word][language - 1] if word in words else word for word in title.split())


def build_person(dice: Dice) -> tuple[str, str]:
    """Draw a given name and a family name."""
    return dice.pick_skewed(_given_names()), dice.pick_skewed(family_names())


def write_person(name: tuple[str, str], form: int) -> str:
    """Write a name in full, reversed, or with an initial."""
    forename, family = name
    return (f"{forename} {family}", f"{family}, {forename}", f"{forename[0]}. {family}")[form]


@cache
def labels() -> tuple[str, ...]:
    """Names of studios and record labels."""
    return tuple(word.replace("-", " ") for word in compose_words(LABEL_PARTS, 250))
