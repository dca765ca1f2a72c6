"""Words of places, written for this package: categories in three languages, and names."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from partita.synthetic.addresses import city_names
from partita.synthetic.names import compose_words

__all__ = ["CATEGORIES", "PLACE_FORMS", "Category", "chain_names", "name_stems"]


class Category(NamedTuple):
    """Words of one category of places."""

    labels: tuple[str, ...]
    """Names of the category in sources of different vocabularies."""
    words: tuple[str, ...]
    """The word in a name, in English, German and French."""
    patterns: tuple[str, ...]
    """Patterns of names from the word {w}, a stem {s}, a city {c} and a street {r}."""
    is_chain: bool
    """Whether chains have places of this category in many towns."""


TABLE = """
cafe,Coffee Shop,Food & Drink,Café | Café,Café,Café | {w} {s};{s} {w};{s} Coffee House | yes
restaurant,Restaurant,Food & Drink,eating place | Restaurant,Restaurant,Restaurant | {w}
 {s};{s};The {s} Kitchen;Trattoria {s};{s} {w} | yes
pub,Bar,Nightlife,Gaststätte | Inn,Gasthaus,Auberge | The {s} {w};{s} Arms;The {s};{w} {s} | no
hotel,Lodging,Accommodation,Hotel | Hotel,Hotel,Hôtel | {w} {s};{s} {w};Grand {w} {c};{w} {s} {c}
 | yes
museum,Attraction,Culture,Museum | Museum,Museum,Musée | {c} {w};{s} {w};{w} of {s}
 History;National {s} {w} | no
school,Primary School,Education,Grundschule | School,Schule,École | {c} Primary {w};Saint {s}
 {w};{r} {w};{s} {w} | no
church,Place of Worship,Religion,Kirche | Church,Kirche,Église | Saint {s} {w};{w} of the Holy
 {s};{c} Methodist {w};{w} {s} | no
pharmacy,Chemist,Health,Apotheke | Pharmacy,Apotheke,Pharmacie | {s} {w};{w} {s};{c} {w} | yes
supermarket,Grocery Store,Shopping,Supermarkt | Market,Markt,Marché | {s};{s} {w};{s} Super {w} |
 yes
bank,Financial Institution,Services,Bank | Bank,Bank,Banque | {s} {w};{w} of {c};{s} Savings {w}
 | yes
petrol station,Gas Station,Automotive,Tankstelle | Station,Tankstelle,Station | {s};{s} Service
 {w};{s} {r} | yes
library,Public Library,Education,Bibliothek | Library,Bibliothek,Bibliothèque | {c} {w};{c}
 Central {w};{s} {w};{r} Public {w} | no
theatre,Performing Arts,Culture,Theater | Theatre,Theater,Théâtre | {s} {w};{w} Royal {c};New {s}
 {w} | no
park,Green Space,Outdoors,Park | Park,Park,Parc | {s} {w};{c} {w};{s} Memorial {w};Saint {s} {w}
 | no
hospital,Medical Centre,Health,Krankenhaus | Hospital,Krankenhaus,Hôpital | Saint {s} {w};{c}
 General {w};Royal {s} {w};{c} Community {w} | no
gym,Fitness Centre,Sport,Fitnessstudio | Gym,Sportstudio,Salle | {s} {w};{s} Fitness;{w} {s} |
 yes
station,Train Station,Transport,Bahnhof | Station,Bahnhof,Gare | {c} {w};{c} Central {w};{c}
 North {w};{c} Road {w} | no
bakery,Bakery,Food & Drink,Bäckerei | Bakery,Bäckerei,Boulangerie | {w} {s};{s} {w};The {s} {w} |
 yes
"""


def _read_category(row: str) -> Category:
    labels, words, patterns, chain = (cell.strip() for cell in row.split("|"))
    return Category(
        tuple(labels.split(",")),
        tuple(words.split(",")),
        tuple(patterns.split(";")),
        chain == "yes",
    )


CATEGORIES = tuple(_read_category(row) for row in TABLE.strip().replace("\n ", " ").split("\n"))

PLACE_FORMS = {
    "Saint": ("St", "St.", "Sankt", "S."),
    "The": ("the",),
    "and": ("&", "n"),
    "Restaurant": ("Rest.", "Rest"),
    "Hotel": ("Htl", "Hotel &"),
    "Museum": ("Mus.", "Museum of"),
    "School": ("Sch", "Sch."),
    "Station": ("Stn", "Sta."),
    "Hospital": ("Hosp", "Hosp."),
    "National": ("Nat.", "Natl"),
    "Central": ("Ctrl", "Cent."),
    "Theatre": ("Theater",),
    "Centre": ("Center", "Ctr"),
    "Primary": ("Pri",),
    "Memorial": ("Mem.", "Meml"),
    "North": ("N",),
    "Church": ("Ch.",),
    "Street": ("St", "St.", "Str."),
    "Road": ("Rd", "Rd."),
    "Avenue": ("Ave", "Av."),
    "Lane": ("Ln",),
    "Drive": ("Dr", "Dr."),
    "Place": ("Pl", "Pl."),
}
"""Other forms of words in names and streets."""

STEMS = (
    "Anchor Angel Bell Bellevue Black Blue Bridge Bright Castle Cedar Copper Corner Cosmo Crown "
    "Dolphin Dragon Eagle Elephant Flora Fox Garden Giorgio Globe Golden Grand Green Harbour "
    "Havana Heron Imperial Ivory Jade Jasmine King Lantern Lavender Lemon Lily Lion Lotus Luna "
    "Magnolia Maple Marco Metro Miller Mirabelle Mulberry Nelson Oak Ocean Olive Orchid "
    "Panorama Paradise Pearl Phoenix Pine Queen Raven Red Regent River Rose Royal Saffron Salt "
    "Sapphire Silver Sol Star Stone Swan Sycamore Terra Tiger Tulip Union Venezia Victoria "
    "Villa Vista White Wild Willow Windmill Wolf",
    "- - -Hall -Tree -House -Garden -Gate -Rock -Leaf -Bird -Moon -View -Cross -Lodge -Horse "
    "-Spice -Palace -Lane -Corner -Field",
)
SAINTS = (
    "Mary Peter Paul John James Andrew Anne Catherine Nicholas Martin George Joseph Luke Mark "
    "Michael Stephen Thomas Barbara Helen Margaret Clement Edmund Oswald Cuthbert Hilda Bride"
)
CHAIN_PARTS = (
    "Bean Bri Cas Coco Cre Dai Fre Fru Gus Java Lu Mar Moka Nor Oli Pane Pri Qui Roa Sun Ta Tre "
    "Urba Vi Zest",
    "- bo co do fino go la line ly mart max mi na nest o pan pot ro to va way",
)


@cache
def name_stems(saints: bool = False) -> tuple[str, ...]:
    """Words that names of places contain; saints, or things and towns."""
    if saints:
        return tuple(SAINTS.split())
    words = [word.replace("-", " ").strip() for word in compose_words(STEMS, 3000)]
    return tuple(dict.fromkeys([*words, *city_names()[:300]]))


@cache
def chain_names() -> tuple[str, ...]:
    """Names of chains."""
    return tuple(word.replace("-", "") for word in compose_words(CHAIN_PARTS, 400))
