package io.idempotency.boot.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation, with its code blocks and links. */
record MarkdownFile(Path path, String text) {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern CODE = Pattern.compile("^```(\\w+)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");

    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

    static List<MarkdownFile> all() throws IOException {
        List<Path> paths = new ArrayList<>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(paths::add);
            }
        }
        List<MarkdownFile> pages = new ArrayList<>();
        for (Path path : paths) {
            pages.add(new MarkdownFile(path, Files.readString(path)));
        }
        return pages;
    }

    static MarkdownFile of(String name) throws IOException {
        return all().stream()
                .filter(page -> page.toString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the section with this heading, as a page. */
    MarkdownFile section(String heading) {
        return new MarkdownFile(
                path,
                Pattern.compile("^## ", Pattern.MULTILINE)
                        .splitAsStream(text)
                        .filter(section -> section.startsWith(heading + "\n"))
                        .findFirst()
                        .orElseThrow());
    }

    List<CodeBlock> code(String language) {
        List<CodeBlock> blocks = new ArrayList<>();
        Matcher matcher = CODE.matcher(text);
        while (matcher.find()) {
            if (matcher.group(1).equals(language)) {
                blocks.add(new CodeBlock(path.getFileName() + " block " + (blocks.size() + 1), matcher.group(2)));
            }
        }
        return blocks;
    }

    /** Links within the project. */
    List<Link> links() {
        return LINK.matcher(text)
                .results()
                .filter(link -> !link.group(1).contains(":"))
                .map(link -> new Link(
                        link.group(1).isEmpty() ? path : path.resolveSibling(link.group(1)),
                        link.group(2) == null ? "" : link.group(2)))
                .toList();
    }

    /** What a link may point at, as the headings make it. */
    List<String> anchors() {
        return HEADING.matcher(CODE.matcher(text).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Override
    public String toString() {
        return path.getFileName().toString();
    }

    /** With an empty anchor if it leads to the whole file. */
    record Link(Path file, String anchor) {

        boolean leadsSomewhere() throws IOException {
            return Files.exists(file)
                    && (anchor.isEmpty()
                            || new MarkdownFile(file, Files.readString(file))
                                    .anchors()
                                    .contains(anchor));
        }
    }

    record CodeBlock(String name, String code) {

        @Override
        public String toString() {
            return name;
        }
    }
}
