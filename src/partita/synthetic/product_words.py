"""Words of products, written for this package: categories, features, colours and brands."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from partita.synthetic.names import compose_words

__all__ = ["CATEGORIES", "COLOURS", "PHRASES", "Category", "brands", "series_names"]


class Category(NamedTuple):
    """Words of one category of products."""

    nouns: tuple[str, ...]
    """Names of the category; the first is the most common."""
    sizes: tuple[str, ...]
    """Numbers of the sizes."""
    units: tuple[str, ...]
    """Ways to write the unit behind a size."""
    features: tuple[str, ...]
    accessories: tuple[str, ...]
    price: int
    """Typical price."""


TABLE = """
LCD TV/LCD Television/Flat Panel HDTV | 19 22 26 32 37 40 42 46 52 | "/-Inch/ in. | 1080p Full
 HD/720p resolution/120 Hz refresh rate/3 HDMI inputs/USB port/wide viewing angle/SRS sound/VESA
 mount | Wall Mount/Remote Control/TV Stand | 900
Digital Camera/Compact Camera/Digicam | 6 7 8 10 12 14 | MP/ Megapixel/ Mega Pixels | 3x optical
 zoom/5x optical zoom/2.5-inch LCD/3.0-inch LCD/image stabilisation/face detection/ISO 1600/SD
 card slot/movie mode | Leather Case/Battery Pack/AC Adapter/Lens Cap | 220
Laptop/Notebook/Notebook PC | 11 12 13 14 15 17 | "/-inch/ inch | dual-core processor/4 GB
 memory/320 GB hard drive/DVD writer/webcam/802.11n wireless/6-cell battery/backlit keyboard | AC
 Adapter/Carrying Case/Battery/Docking Station | 850
Portable Hard Drive/External HDD/USB Hard Disk | 160 250 320 500 640 750 1000 | GB/ GB/ Gigabyte
 | USB 2.0/eSATA port/5400 rpm/7200 rpm/backup software/shock resistant/bus powered | Carrying
 Case/USB Cable/Power Adapter | 110
USB Flash Drive/Memory Stick/Thumb Drive | 1 2 4 8 16 32 64 | GB/ GB/-Gigabyte | password
 protection/retractable connector/plug and play/lanyard loop/dust cap | Neck Strap/USB Hub | 30
Refrigerator/Fridge Freezer/Fridge | 14 18 19 21 22 25 26 | cu. ft./ Cu Ft/ cubic feet | ice
 maker/water dispenser/frost free/humidity controlled crispers/spill-proof shelves/energy saving |
 Water Filter/Ice Maker Kit/Handle Kit | 1100
Front Load Washer/Washing Machine/Washer | 5 6 7 8 9 | kg/ kg/-Kilo | 1200 rpm spin/1400 rpm
 spin/steam cycle/delay start/child lock/quick wash/stainless steel drum | Stacking
 Kit/Pedestal/Inlet Hose | 650
Vacuum Cleaner/Bagless Vacuum/Upright Vacuum | 1 2 3 4 5 | L/ Litre/ litre | HEPA filter/1800
 watt motor/telescopic wand/pet hair brush/swivel head/retractable cord/bag full indicator | Dust
 Bags/Filter/Turbo Brush | 180
Headphones/Stereo Headset/Over-Ear Headphones | 30 32 40 50 | mm/ mm/-millimetre | noise
 cancelling/neodymium drivers/inline volume control/folding design/gold plated plug/closed
 back/deep bass | Ear Pads/Extension Cable/Travel Case | 75
Bookshelf Speaker/Loudspeaker/Speaker Pair | 4 5 6 8 | "/-inch/ in | 100 watts/two-way
 design/silk dome tweeter/magnetically shielded/wall mountable/ported enclosure | Speaker
 Stand/Wall Bracket/Speaker Wire | 240
AV Receiver/Home Theater Receiver/Surround Receiver | 5 7 9 | .1-Channel/.1 Channel/.1 ch | HDMI
 switching/Dolby decoder/auto calibration/iPod dock/100 watts per channel/AM-FM tuner/video
 upconversion | Remote Control/Rack Mount Kit | 480
Inkjet Printer/All-in-One Printer/Colour Printer | 18 22 28 30 32 35 | ppm/ ppm/ pages per minute
 | duplex printing/flatbed scanner/4800 dpi/memory card reader/wireless network/photo tray | Ink
 Cartridge/Toner/Paper Tray/USB Cable | 140
Wireless Router/WLAN Router/Broadband Router | 54 108 150 300 450 | Mbps/ Mbps/ Mbit | 4-port
 switch/WPA2 security/dual band/parental controls/guest network/push button setup/detachable
 antenna | Antenna/Power Supply/Wall Bracket | 70
LCD Monitor/Flat Screen Monitor/Widescreen Display | 17 19 20 22 24 27 30 | "/-inch/ in. | 1920 x
 1080/5 ms response/DVI input/height adjustable stand/built-in speakers/10000:1
 contrast/anti-glare | Monitor Arm/Privacy Filter/DVI Cable | 260
Cordless Drill/Drill Driver/Cordless Drill Driver | 10.8 12 14.4 18 24 | V/-Volt/ volt | keyless
 chuck/two-speed gearbox/LED work light/lithium-ion/variable speed/soft grip/hammer action |
 Battery/Charger/Drill Bit Set/Tool Bag | 130
Coffee Maker/Coffee Machine/Drip Coffeemaker | 4 8 10 12 14 | -Cup/ Cup/ cups | programmable
 timer/thermal carafe/auto shut-off/permanent filter/pause and serve/brew strength control |
 Replacement Carafe/Paper Filters/Descaler | 65
Car Stereo/CD Receiver/In-Dash Receiver | 45 50 52 60 | W x 4/ watts x 4/Wx4 | MP3
 playback/detachable face/USB input/front aux input/equalizer/satellite radio ready/subwoofer
 output | Wiring Harness/Dash Kit/Remote | 120
GPS Navigator/Sat Nav/Portable GPS | 3.5 4.3 4.7 5 7 | "/-inch/ in | lane guidance/text to
 speech/preloaded maps/traffic receiver/Bluetooth hands-free/points of interest | Dash Mount/Carry
 Case/Car Charger | 190
Cordless Phone/Cordless Telephone/DECT Phone | 1 2 3 4 | -Handset/ Handset/ handsets | answering
 machine/caller ID/speakerphone/eco mode/phone book for 100 entries/expandable | Additional
 Handset/Headset/Battery | 60
Graphics Card/Video Card/PCIe Graphics Board | 256 512 768 1024 | MB/ MB/ Megabyte | DDR3
 memory/dual DVI/HDMI output/low profile/passive cooling/overclocked/DirectX 10 | SLI Bridge/DVI
 Adapter | 150
Office Software/Office Suite/Productivity Suite | 1 3 5 10 | -User/ User/ users | word
 processor/spreadsheet/PDF export/mail client/presentation tools/cloud storage/academic licence |
 Upgrade/Training Video/Licence Pack | 120
Antivirus/Internet Security/Security Suite | 1 3 5 10 | -PC/ PC/ computers | firewall/spam
 filter/identity protection/automatic updates/rescue disc/1 year subscription |
 Upgrade/Renewal/Backup Disc | 45
Running Shoes/Trainers/Road Running Shoe | 7 8 9 10 11 12 | UK/ UK/ (UK) | breathable mesh
 upper/cushioned midsole/reflective details/rubber outsole/neutral support | Insoles/Laces | 85
Wrist Watch/Watch/Chronograph | 34 38 40 42 44 | mm/ mm/-mm | sapphire crystal/stainless steel
 case/leather strap/water resistant to 100 m/date display/quartz movement | Strap/Gift Box/Link
 Remover | 210
Office Chair/Desk Chair/Task Chair | 100 110 120 130 150 | kg/ kg/ kilo | adjustable lumbar
 support/five-star base/gas lift/mesh back/armrests/tilt lock | Headrest/Castors/Floor Mat | 160
"""


def _read_category(row: str) -> Category:
    nouns, sizes, _, features, accessories, price = (cell.strip() for cell in row.split(" |"))
    words = [tuple(cell.split("/")) for cell in (nouns, features, accessories)]
    # a blank before a unit counts
    marks = tuple(row.split("|")[2].removeprefix(" ").removesuffix(" ").split("/"))
    return Category(words[0], tuple(sizes.split()), marks, words[1], words[2], int(price))


CATEGORIES = tuple(_read_category(row) for row in TABLE.strip().replace("\n ", " ").split("\n"))

COLOURS = (
    *("Black", "Silver", "White", "Red", "Blue", "Grey", "Pink", "Green", "Gold", "Titanium"),
    *("Brown", "Purple", "Orange", "Champagne"),
)
PHRASES = (
    *("The {brand} {noun} offers {a} and {b}", "With {a}, {b} and {c}", "Features {a}, {b}, {c}"),
    *("{size} {noun} with {a}", "{a} - {b} - {c}", "{a}; {b}", "Enjoy {a} and {b} every day"),
    *(
        "{noun} by {brand}, model {model}, {a}",
        "{model}: {a}, {b}",
        "Ideal for home and office: {a}",
    ),
    *("{brand} {model} {noun}. {a}. {b}. {c}", "Now with {a}", "{a} / {b} / {colour} finish"),
    *("This {noun} from the {series} range has {a}, {b} and {c}", "Includes {a} plus {b}"),
)
"""Sentences of descriptions."""

BRAND_PARTS = (
    "Al Ar Bel Bri Cal Cor Dax Del El Fen Fo Gal Ha Hel In Jo Ka Kel Lo Lu Mar Mi Na No Or Pa Pol "
    "Qua Re Ro Sa Sel Si So Ta Te To Tri Ul Va Ve Vi Wes Xan Yo Za Zen",
    "ba ca da do fi ga go ki la li lo ma mi mo na ni no ra ri ro sa ti to va vi vo",
    "- n r x tech tron sonic line ware star dyne wick son max ler lux ton",
)
SERIES_PARTS = (
    "Aero Alto Apex Aqua Astra Aura Bold Brava Cine Clear Crys Dura Eco Edge Elan Ever Flex Fusi "
    "Gran Hyper Ideo Lumi Maxi Mega Neo Nova Omni Opti Power Pro Pulse Quick Regal Sleek Smart "
    "Sono Swift Terra Titan Turbo Ultra Vari Vista Vivid Zeni",
    "- air beam core cast go lite line mate max on one play pod shot sound star tone vue view x",
)


@cache
def brands() -> tuple[str, ...]:
    """Names of brands, frequent brands first; some are capitals or two words."""
    words = [word.replace("-", "") for word in compose_words(BRAND_PARTS, 2000)]
    return tuple(
        {5: word.upper()[:3], 7: f"{word} {words[-place]}"}.get(place % 12, word)
        for place, word in enumerate(words[:900])
    )


@cache
def series_names() -> tuple[str, ...]:
    """Names of product series."""
    return tuple(word.replace("-", "") for word in compose_words(SERIES_PARTS, 900))
