"""The readers that deploy/benchmark measures: what each reads, how it is called, and its process, which may crash or hang."""
import multiprocessing
import os
import sys
import time

# A reader that takes longer for a picture is stopped; the picture counts as unread, with this time.
SECONDS_MAX = 20

RETAIL = {"ean13", "ean8", "upca", "upce"}
LINEAR = RETAIL | {"itf", "code39", "code93", "code128", "codabar"}
DATABAR = {"databar", "databar-limited", "databar-expanded"}
MATRIX = {"qr", "datamatrix", "aztec", "pdf417", "maxicode", "microqr", "rmqr", "micropdf417"}
ALL = LINEAR | DATABAR | MATRIX


def text_of(data):
    """Bytes as UTF-8 if they are that, else as Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def luma_bytes(pixels):
    return pixels.tobytes(), pixels.shape[1], pixels.shape[0]


def points(items):
    return [(float(point.x), float(point.y)) for point in items]


# Each makes a function that takes an 8-bit grey array and whether add-ons are wanted, and returns texts with their corners, or with None
# for corners that the reader does not give. Everything that is done once, not per picture, is outside of that function.
def reticle_reader():
    import reticle
    readers = {wants: reticle.Reader(add_ons="read" if wants else "ignore") for wants in (False, True)}
    return lambda pixels, add_ons: [
        (bytes(symbol.bytes), [symbol.text, symbol.hri or symbol.text], points(symbol.corners)) for symbol in readers[add_ons].read(pixels)]


def zxing_cpp():
    import zxingcpp

    def read(pixels, add_ons):
        options = {"ean_add_on_symbol": zxingcpp.EanAddOnSymbol.Read} if add_ons else {}
        found = []
        for code in zxingcpp.read_barcodes(pixels, **options):
            at = code.position
            found.append((code.bytes, [code.text], points([at.top_left, at.top_right, at.bottom_right, at.bottom_left])))
        return found
    return read


def zbar():
    from pyzbar import pyzbar
    return lambda pixels, _: [(code.data, [text_of(code.data)], points(code.polygon)) for code in pyzbar.decode(luma_bytes(pixels))]


def libdmtx():
    from PIL import Image
    from pylibdmtx import pylibdmtx
    # Without a limit it searches each picture for seconds to minutes.
    return lambda pixels, _: [
        (code.data, [text_of(code.data)], None) for code in pylibdmtx.decode(Image.fromarray(pixels), timeout=1000)]


def opencv(make, method):
    def reader():
        import cv2
        cv2.setNumThreads(1)
        detector = make(cv2)
        call = getattr(detector, method)

        def read(pixels, _):
            answer = call(pixels)
            texts, corners = (answer[0], answer[1]) if method == "detectAndDecode" else (answer[1], answer[-2 if "Multi" in method else -1])
            if corners is None:
                corners = [[]] * len(texts)
            return [(text.encode(), [text], [tuple(map(float, point)) for point in quad]) for text, quad in zip(texts, corners) if text]
        return read
    return reader


def tapirscan():
    import tapirscan as package
    # Its default is retail alone: it gets a list of all symbologies that it reads.
    formats = [
        "EAN13", "EAN8", "UPCA", "UPCE", "Code128", "Code39", "Code93", "Codabar", "ITF", "DataBar", "DataBarLimited", "DataBarExpanded",
        "QRCode", "MicroQRCode", "DataMatrix", "PDF417", "Aztec", "MaxiCode"]
    scanners = {
        wants: package.Scanner(formats=formats, ean_add_on_policy="read" if wants else "ignore") for wants in (False, True)}
    return lambda pixels, add_ons: [
        (bytes(code.payload_bytes or b""), [code.text + (code.ean_add_on or "") if add_ons else code.text], points(code.polygon))
        for code in scanners[add_ons].scan(pixels).barcodes]


def rxing():
    import pyrxing
    from PIL import Image
    return lambda pixels, _: [
        (code.text.encode(), [code.text], points(code.points)) for code in pyrxing.read_barcodes(Image.fromarray(pixels))]


def qrlyzer():
    import qrlyzer as package

    def read(pixels, _):
        found = package.detect_and_decode_from_bytes_with_bbox(*luma_bytes(pixels))
        return [(text.encode(), [text], [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) for text, (x, y, w, h) in found]
    return read


def qrfast():
    import qrfast as package
    return lambda pixels, _: [(text.encode(), [text], None) for text in package.decode_qrs_bytes(*luma_bytes(pixels), True)]


def qrcode_ai():
    import numpy
    import qrcode_ai_scanner as package

    def read(pixels, _):
        height, width = pixels.shape
        colours = numpy.dstack([pixels, pixels, pixels, numpy.full_like(pixels, 255)]).tobytes()
        found = package.scan_frame(colours, width, height, profile="fast")["detections"]
        return [(one["content"]["text"].encode(), [one["content"]["text"]], None) for one in found if one["content"].get("text")]
    return read


def pdf417decoder():
    import cv2
    from PIL import Image
    from pdf417decoder import PDF417Decoder
    cv2.setNumThreads(1)

    def read(pixels, _):
        decoder = PDF417Decoder(Image.fromarray(pixels).convert("RGB"))
        texts = [decoder.barcode_data_index_to_string(index) for index in range(decoder.decode())]
        return [(text.encode(), [text], None) for text in texts]
    return read


# Title, package, the symbologies that it reads, the function above.
READERS = {
    "reticle": ("Reticle", "reticle", ALL, reticle_reader),
    "zxing-cpp": ("zxing-cpp", "zxing-cpp", ALL, zxing_cpp),
    "tapirscan": ("tapirscan", "tapirscan", ALL - {"rmqr", "micropdf417"}, tapirscan),
    "rxing": ("rxing", "pyrxing", ALL - {"microqr", "rmqr", "micropdf417", "databar-limited"}, rxing),
    "zbar": ("zbar", "pyzbar", LINEAR | {"qr", "databar", "databar-expanded"}, zbar),
    "opencv-qr": (
        "OpenCV, QRCodeDetector", "opencv-contrib-python-headless", {"qr"},
        opencv(lambda cv2: cv2.QRCodeDetector(), "detectAndDecodeMulti")),
    "opencv-aruco": (
        "OpenCV, QRCodeDetectorAruco", "opencv-contrib-python-headless", {"qr"},
        opencv(lambda cv2: cv2.QRCodeDetectorAruco(), "detectAndDecodeMulti")),
    "opencv-wechat": (
        "OpenCV, WeChatQRCode", "opencv-contrib-python-headless", {"qr"},
        opencv(lambda cv2: cv2.wechat_qrcode.WeChatQRCode(), "detectAndDecode")),
    "opencv-barcode": (
        "OpenCV, BarcodeDetector", "opencv-contrib-python-headless", {"ean13", "ean8", "upca"},
        opencv(lambda cv2: cv2.barcode.BarcodeDetector(), "detectAndDecodeWithType")),
    "qrlyzer": ("qrlyzer", "qrlyzer", {"qr"}, qrlyzer),
    "qrfast": ("qrfast", "qrfast", {"qr"}, qrfast),
    "qrcode-ai": ("qrcode-ai-scanner", "qrcode-ai-scanner", {"qr"}, qrcode_ai),
    "libdmtx": ("libdmtx", "pylibdmtx", {"datamatrix"}, libdmtx),
    "pdf417decoder": ("pdf417decoder", "pdf417decoder", {"pdf417"}, pdf417decoder),
}
DEBIAN_LIBRARIES = {"libzbar0": "zbar", "libdmtx0b": "libdmtx"}


def serve(name, connection):
    """Reads the pictures that come in, in a process of its own; a reader's output does not disturb."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        read = READERS[name][3]()
    except Exception as error:
        connection.send(("missing", f"{type(error).__name__}: {error}"))
        return
    connection.send(("ready", ""))
    while True:
        pixels, add_ons = connection.recv()
        start = time.process_time()
        error = None
        try:
            found = read(pixels, add_ons)
        except Exception as thrown:  # an unread picture, and reported
            found, error = [], f"{type(thrown).__name__}: {thrown}".splitlines()[0]
        connection.send((found, time.process_time() - start, error))


class Reader:
    """A reader in its process, which is started again if it crashes or takes too long."""

    def __init__(self, name):
        self.name = name
        self.title, self.package, self.symbologies, _ = READERS[name]
        self.ended, self.errors = 0, []
        self.missing = None
        self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(self.name, other), daemon=True)
        self.process.start()
        other.close()
        try:
            state, self.missing = self.connection.recv() if self.connection.poll(60) else ("missing", "it does not start")
        except EOFError:
            state, self.missing = "missing", "it crashes at its start"
        if state == "ready":
            self.missing = None

    def read(self, pixels, add_ons):
        try:
            self.connection.send((pixels, add_ons))
            if self.connection.poll(SECONDS_MAX):
                found, seconds, error = self.connection.recv()
                self.errors += [error] if error else []
                return found, seconds
        except (EOFError, BrokenPipeError):
            pass
        self.stop()
        self.ended += 1
        print(f"{self.title} is started again", file=sys.stderr, flush=True)
        self.start()
        return [], SECONDS_MAX

    def stop(self):
        self.process.kill()
        self.process.join()
