import CCairo
import PrintQuality
