"""Records in several languages and scripts, with accents, for tests of encodings."""

from random import Random

__all__ = ["LANGUAGES", "make_text"]

LANGUAGES = {
    "Japanese": (
        ("山田太郎", "佐藤花子", "鈴木一郎", "高橋美咲", "田中健", "伊藤さくら", "渡辺直樹"),
        ("東京都", "大阪府", "京都市", "横浜市", "名古屋市", "札幌市"),
        ("株式会社トヨタ", "ソニー", "パナソニック", "有限会社さくら"),
    ),
    "Simplified Chinese": (
        ("王伟", "李娜", "张强", "刘洋", "陈静", "杨帆", "黄磊", "赵敏", "吴刚", "周杰"),
        ("北京市", "上海市", "广州", "深圳", "成都", "杭州"),
        ("有限公司", "科技集团", "华为技术", "阿里巴巴"),
    ),
    "Traditional Chinese": (
        ("陳怡君", "林志明", "黃淑芬", "張建國", "李美玲"),
        ("臺北市", "高雄市", "臺中市"),
        ("股份有限公司", "台灣積體電路"),
    ),
    "Korean": (
        ("김민준", "이서연", "박지훈", "최수빈", "정하은"),
        ("서울특별시", "부산광역시", "대구"),
        ("삼성전자", "주식회사 현대"),
    ),
    "French": (
        ("François Lefèvre", "Hélène Dupré", "André Béranger", "Benoît Gérard", "Anaïs Côté"),
        ("Besançon", "Nîmes", "Orléans", "Saint-Étienne", "Béziers"),
        ("Société Générale", "Crédit Agricole", "Hôtel de l’Été", "Café"),
    ),
    "German": (
        ("Jürgen Müller", "Käthe Schröder", "Günter Größe", "Björn Weiß", "Bärbel Köhler"),
        ("München", "Köln", "Düsseldorf", "Nürnberg"),
        ("Bäckerei Süß", "Straßenbau GmbH"),
    ),
    "Spanish": (
        ("José Nuñez", "María Peña", "Iñigo Muñoz", "Ángel Gómez", "Óscar Ibáñez"),
        ("Málaga", "Cádiz", "León", "La Coruña"),
        ("Compañía", "Señor Jardín"),
    ),
    "Swedish": (
        ("Åsa Öberg", "Björn Åkesson", "Märta Sjöström"),
        ("Malmö", "Göteborg", "Växjö", "Umeå"),
        ("Kött & Bär AB",),
    ),
    "Polish": (
        ("Łukasz Żółty", "Małgorzata Wiśniewska", "Paweł Dąbrowski", "Grażyna Śliwa"),
        ("Łódź", "Kraków", "Gdańsk", "Poznań"),
        ("Spółka z ograniczoną",),
    ),
    "Russian": (
        ("Иван Петров", "Анна Смирнова", "Сергей Кузнецов", "Ольга Попова"),
        ("Москва", "Казань", "Самара"),
        ("ООО Ромашка", "Завод"),
    ),
    "Greek": (
        ("Γιώργος Παπαδόπουλος", "Μαρία Νικολάου"),
        ("Αθήνα", "Θεσσαλονίκη"),
        ("Εταιρεία",),
    ),
}
"""Names, towns and firms of each language."""


def make_text(
    random: Random, language: str, rows: int, plain: float = 0.0, delimiter: str = ","
) -> str:
    """Make a CSV file, a share of whose rows is plain ASCII."""
    names, towns, firms = LANGUAGES[language]
    lines = [delimiter.join(("id", "name", "town", "firm"))]
    for row in range(rows):
        cells = (
            ("John Smith", "London", "Acme")
            if random.random() < plain
            else (random.choice(names), random.choice(towns), random.choice(firms))
        )
        lines.append(delimiter.join((str(row), *cells)))
    return "\n".join(lines) + "\n"
