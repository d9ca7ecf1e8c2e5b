"""The rules by which deploy/benchmark counts the answers of readers; docs/benchmark.md says them in words."""
import re


def plain(text):
    """A text without what readers write differently: line ends, blanks at the ends, zero bytes, FNC1."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1d", "").replace("\0", "").strip()


def retail_digits(text):
    """The digits of an EAN or UPC and its add-on, without leading zeros; None for any other text."""
    digits = re.sub(r"[ +-]", "", text)
    return digits.lstrip("0") if digits.isdigit() and len(digits) >= 6 else None


def expanded(digits):
    """The twelve digits of the UPC-A for the eight of a UPC-E, with the add-on after them."""
    if len(digits) < 8 or not digits.isdigit():
        return digits
    system, body, check, rest = digits[0], digits[1:7], digits[7], digits[8:]
    tail = body[5]
    if tail in "012":
        body = body[:2] + tail + "0000" + body[2:5]
    elif tail == "3":
        body = body[:3] + "00000" + body[3:5]
    elif tail == "4":
        body = body[:4] + "00000" + body[4]
    else:
        body = body[:5] + "0000" + tail
    return system + body + check + rest


def is_same(expected, data, texts, symbology):
    """Whether a reader's bytes or one of its texts are the expected text; "hex:…" expects bytes."""
    if expected.startswith("hex:"):
        return data.hex() == expected[4:]
    wanted, forms = common(plain(expected), symbology), {common(plain(text), symbology) for text in texts}
    if wanted in forms:
        return True
    if not symbology.startswith(("ean", "upc", "mixed")):
        return False
    accepted = retail_forms(wanted, symbology)
    return any(accepted & retail_forms(form, symbology) for form in forms)


def common(text, symbology):
    """A text without what is a matter of taste: brackets of element strings, Codabar's start and stop, the identifier of a GTIN."""
    if symbology.startswith(("databar", "mixed", "code128", "datamatrix")):
        text = re.sub(r"\((\d{2,4})\)", r"\1", text)
    if symbology == "codabar":
        text = re.sub(r"^[A-Da-d](.*)[A-Da-d]$", r"\1", text)
    if symbology in ("databar", "databar-limited") and len(text) == 16 and text.startswith("01"):
        text = text[2:]
    return text


def retail_forms(text, symbology):
    """The digits of an EAN or UPC without leading zeros; of a UPC-E, also those of its UPC-A."""
    digits = re.sub(r"[ +-]", "", text)
    forms = {retail_digits(digits)}
    if symbology.startswith(("upce", "mixed")) and len(digits) in (8, 10, 13):
        forms.add(retail_digits(expanded(digits)))
    return forms - {None}


def is_part(expected, texts, symbology):
    """Whether a text is an expected EAN or UPC without its add-on: not read, and not wrong."""
    whole = retail_digits(expected)
    parts = [digits for digits in map(retail_digits, texts) if digits]
    return symbology.startswith(("ean", "upc")) and whole is not None and any(whole.startswith(digits) for digits in parts)


def wants_add_ons(row):
    digits = [re.sub(r"[ +-]", "", text) for text in row["expect"] or []]
    return row["symbology"].startswith(("ean", "upc")) and (
        "+addon" in row["symbology"] or any(text.isdigit() and len(text) in (10, 13 + 2, 12 + 2, 13 + 5, 12 + 5) for text in digits))


def covers(symbologies, row):
    """Whether a reader that reads these symbologies is asked for a picture."""
    name = row["symbology"].removesuffix("+addon")
    return name in symbologies or name == "none" or name == "mixed" and len(symbologies) > 8


def is_inside(point, quad):
    """Whether a point lies in a convex quadrilateral."""
    sides = [
        (x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1) for (x1, y1), (x2, y2) in zip(quad, quad[1:] + quad[:1])]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def judge(row, found):
    """How many of the symbols of a picture were read, of how many, and whether anything else was: (read, all, is wrong).

    A picture counts as one, which is read if all of its texts are. Where corners are known and no texts, symbols count: read are those
    that contain the middle of an answer; None if the reader gives no corners.
    """
    expected, symbology = row["expect"], row["symbology"]
    if expected is None:
        centres = [(sum(x for x, _ in at) / len(at), sum(y for _, y in at) / len(at)) for _, _, at in found if at]
        if found and not centres:
            return None, len(row["corners"]), False
        return sum(any(is_inside(centre, quad) for centre in centres) for quad in row["corners"]), len(row["corners"]), False
    read = bool(expected) and all(any(is_same(text, data, texts, symbology) for data, texts, _ in found) for text in expected)
    wrong = any(
        not any(is_same(text, data, texts, symbology) or is_part(text, texts, symbology) for text in expected)
        for data, texts, _ in found)
    return int(read), int(bool(expected)), wrong
