"""Words of companies, written for this package: legal forms, trades, abbreviations, countries."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from partita.synthetic.cells import to_strings
from partita.synthetic.names import compose_words, surnames

__all__ = [
    "ABBREVIATIONS",
    "ADJECTIVES",
    "COUNTRIES",
    "DIVISIONS",
    "LEGAL_FORMS",
    "Country",
    "coined_names",
    "family_names",
]

LEGAL_FORMS = {
    "Ltd": ("Ltd", "Limited", "Ltd.", "LTD", "Co Ltd"),
    "plc": ("plc", "PLC", "P.L.C.", "Public Limited Company"),
    "LLP": ("LLP", "L.L.P.", "Limited Liability Partnership"),
    "Inc": ("Inc", "Inc.", "Incorporated", ", Inc."),
    "Corp": ("Corp", "Corp.", "Corporation"),
    "LLC": ("LLC", "L.L.C.", ", LLC"),
    "GmbH": ("GmbH", "G.m.b.H.", "GMBH", "Gesellschaft mbH"),
    "AG": ("AG", "A.G.", "Aktiengesellschaft"),
    "GmbH & Co. KG": ("GmbH & Co. KG", "GmbH & Co KG", "GmbH+Co.KG", "GmbH und Co. KG"),
    "e.K.": ("e.K.", "eK", "e. K."),
    "SARL": ("SARL", "S.A.R.L.", "Sàrl", "S.à r.l."),
    "SA": ("SA", "S.A.", "Société Anonyme"),
    "SAS": ("SAS", "S.A.S."),
    "BV": ("BV", "B.V.", "b.v."),
    "NV": ("NV", "N.V."),
}
"""Ways to write each legal form."""

ABBREVIATIONS = {
    "Manufacturing": ("Mfg", "Mfg.", "Manuf"),
    "International": ("Intl", "Int'l", "Int."),
    "Company": ("Co", "Co."),
    "Services": ("Svcs", "Serv", "Service"),
    "Engineering": ("Eng", "Engrg", "Engineers"),
    "Associates": ("Assoc", "Assocs", "& Assoc."),
    "Technologies": ("Tech", "Technology", "Techs"),
    "Systems": ("Sys", "System"),
    "Brothers": ("Bros", "Bros."),
    "Industries": ("Ind", "Inds", "Industrial"),
    "Holdings": ("Hldgs", "Holding"),
    "Construction": ("Constr", "Const."),
    "Management": ("Mgmt", "Mgt"),
    "Development": ("Dev", "Devt"),
    "Laboratories": ("Labs", "Lab"),
    "Electrical": ("Elec", "Electric"),
    "Distribution": ("Dist", "Distributors"),
    "Transport": ("Transp", "Tpt"),
    "Consulting": ("Cons", "Consultants"),
    "Solutions": ("Sol", "Solns"),
    "Financial": ("Fin", "Finance"),
    "Insurance": ("Ins", "Insur."),
    "Pharmaceuticals": ("Pharma", "Pharm"),
    "and": ("&", "+", "und"),
    "&": ("and", "+", "u."),
    "Group": ("Grp", "Gp"),
    "Centre": ("Center", "Ctr"),
    "Saint": ("St", "St."),
    "Street": ("St", "St.", "Str"),
    "Road": ("Rd", "Rd."),
    "Avenue": ("Ave", "Av."),
    "Lane": ("Ln",),
    "Drive": ("Dr", "Dr."),
    "Close": ("Cl",),
    "Place": ("Pl", "Pl."),
    "Limited": ("Ltd",),
    "Maschinenbau": ("Masch.bau", "Maschb."),
    "Gebrüder": ("Gebr.", "Gebr", "Gebrueder"),
    "Handelsgesellschaft": ("Handelsges.", "Handels"),
    "Verwaltung": ("Verw.", "Verwaltungs"),
    "Etablissements": ("Ets", "Ets.", "Établissements"),
    "Compagnie": ("Cie", "Cie."),
    "Société": ("Sté", "Societe", "Soc."),
    "Gebroeders": ("Gebr.", "Gebr"),
}
"""Other forms of words in names and streets."""


class Country(NamedTuple):
    """Conventions of a country."""

    name: str
    codes: tuple[str, ...]
    """Other ways to write the country."""
    forms: tuple[str, ...]
    """Legal forms, frequent ones first."""
    prefix: str
    """International prefix of telephone numbers."""
    domain: str
    trades: tuple[str, ...]
    founders: tuple[str, ...]
    """Patterns of names from one or two family names."""
    trade_first: bool
    """Whether a trade is written before the name."""


TRADES = {
    "en": (
        "Plumbing/Timber Supplies/Engineering/Manufacturing/Construction/Consulting/Logistics/"
        "Foods/Printing/Electrical/Motors/Transport/Systems/Software/Technologies/Insurance/"
        "Bakery/Brewery/Textiles/Chemicals/Pharmaceuticals/Estates/Properties/Catering/"
        "Packaging/Security Services/Cleaning Services/Financial Services/Design/Media/Marine/"
        "Steel/Tools/Furniture/Fisheries/Farms/Nurseries/Garages/Roofing/Glass/Plastics/"
        "Instruments/Laboratories/Distribution/Recruitment/Travel/Publishing/Medical Supplies/"
        "Solar Energy/Waste Management"
    ),
    "de": (
        "Maschinenbau/Bäckerei/Spedition/Elektrotechnik/Metallbau/Autohaus/Tischlerei/"
        "Druckerei/Handelsgesellschaft/Immobilien/Bauunternehmen/Softwareentwicklung/"
        "Gartenbau/Brauerei/Werkzeugbau/Verlag/Apotheke/Haustechnik/Kunststofftechnik/"
        "Logistik/Verwaltung/Metzgerei"
    ),
    "fr": (
        "Boulangerie/Imprimerie/Transports/Menuiserie/Plomberie/Conseil/Industries/"
        "Construction/Textiles/Vignobles/Ateliers/Éditions/Pharmacie/Informatique/Bâtiment/"
        "Mécanique/Garage"
    ),
    "nl": (
        "Bakkerij/Transport/Bouwbedrijf/Installatietechniek/Drukkerij/Scheepswerf/Handelshuis/"
        "Kwekerij/Metaal/Beheer/Techniek/Vastgoed/Logistiek/Schildersbedrijf/Autobedrijf"
    ),
}
"""Trades by language."""
FOUNDERS = {
    "en": ("{a} and Sons", "{a} & {b}", "{a} Brothers", "{a} {b} Associates", "{i} {a}", "{a}"),
    "de": ("{a} & Söhne", "Gebrüder {a}", "{a} & {b}", "{g} {a}", "{a}"),
    "fr": ("{a} et Fils", "Etablissements {a}", "{a} Frères", "{a} & Compagnie", "{g} {a}"),
    "nl": ("Gebroeders {a}", "{a} en Zonen", "Van der {a}", "{a} & {b}", "{g} {a}"),
}
ROWS = (
    ("United Kingdom", "GB/UK/U.K.", "Ltd/plc/LLP", "+44", "co.uk", "en"),
    ("United States", "US/USA/U.S.A.", "Inc/LLC/Corp", "+1", "com", "en"),
    ("Germany", "DE/Deutschland/GER", "GmbH/GmbH & Co. KG/AG/e.K.", "+49", "de", "de"),
    ("France", "FR/FRA", "SARL/SA/SAS", "+33", "fr", "fr"),
    ("Netherlands", "NL/NLD/The Netherlands", "BV/NV", "+31", "nl", "nl"),
)
COUNTRIES = tuple(
    Country(
        *(name, tuple(codes.split("/")), tuple(forms.split("/")), prefix, f"{domain}.example"),
        *(tuple(TRADES[language].split("/")), FOUNDERS[language], language != "en"),
    )
    for name, codes, forms, prefix, domain, language in ROWS
)
"""Countries; the first are more frequent."""

DIVISIONS = (
    *("Holdings", "Group", "International", "Services", "Logistics", "Properties", "Technologies"),
    *("Trading", "Solutions", "Management", "Finance", "Industries", "Systems", "Europe"),
)
"""Words that distinguish the companies of a group."""
ADJECTIVES = (
    *("Northern", "Southern", "Western", "Eastern", "United", "National", "General", "Royal"),
    *("Premier", "First", "Central", "Global", "Universal", "Advanced", "Modern", "Allied"),
    *("Consolidated", "Independent", "Atlantic", "Pacific", "Continental", "Regional"),
)
COINED_PARTS = (
    "Acti Ambi Arte Axi Brigh Cala Cent Cogni Cryo Dyna Effi Ener Exo Fin Flu Geno Green Helio Iso "
    "Kine Lumi Mede Micro Nano Nex Novo Opti Orbi Pano Penta Poly Prime Quan Rapi Sani Seno Silva "
    "Sola Syn Tele Tera Tran Trui Uni Vali Veri Vita Xeno Zeta",
    "- bio cept cor data dex dyne form gen graph labs line link logic mark med net nova pharm plex "
    "point sense soft sol span star tec tech trade tron vance ware wave works xis",
)


@cache
def coined_names() -> tuple[str, ...]:
    """Invented names such as Novatech."""
    return tuple(word.replace("-", "") for word in compose_words(COINED_PARTS, 2000))


@cache
def family_names() -> tuple[str, ...]:
    """Family names of founders, frequent names first."""
    return tuple(to_strings(surnames()[0][:6000]))
