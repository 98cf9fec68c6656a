package io.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Horizontal bars with the range of the rounds, as SVG; needs neither fonts nor a library. */
final class BarChart {

    private static final int LABELS = 240;

    private static final int BARS = 480;

    private static final int VALUES = 160;

    private static final int ROW = 22;

    private static final int HEAD = 34;

    private final String title;

    private final String unit;

    private final List<Bar> bars = new ArrayList<>();

    BarChart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds one below the others. */
    void add(String label, double value, double least, double most) {
        bars.add(new Bar(label, value, least, most));
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, svg());
    }

    String svg() {
        double scale = BARS / bars.stream().mapToDouble(Bar::most).max().orElse(1);
        int height = HEAD + bars.size() * ROW + ROW / 2;
        StringBuilder svg = new StringBuilder();
        append(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">%n",
                LABELS + BARS + VALUES,
                height);
        append(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
        append(svg, "<text x=\"8\" y=\"20\" font-weight=\"bold\">%s</text>%n", escape(title + " (" + unit + ")"));
        int y = HEAD;
        for (Bar bar : bars) {
            double end = LABELS + Math.max(0, bar.value() * scale);
            append(
                    svg,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
                    LABELS - 6,
                    y + 12,
                    escape(bar.label()));
            append(
                    svg,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                    LABELS,
                    y,
                    end - LABELS,
                    ROW - 6,
                    bar.label().startsWith("starter") ? "#3b7a57" : "#9aa5b1");
            append(
                    svg,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$d\" y2=\"%3$d\" stroke=\"#333\"/>%n",
                    LABELS + Math.max(0, bar.least() * scale),
                    LABELS + Math.max(0, bar.most() * scale),
                    y + (ROW - 6) / 2);
            append(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\">%,.0f</text>%n",
                    LABELS + Math.max(0, bar.most() * scale) + 6,
                    y + 12,
                    bar.value());
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void append(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private record Bar(String label, double value, double least, double most) {}
}
