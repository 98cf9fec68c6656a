package io.idempotency.boot.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation, with its code blocks and links. */
record MarkdownFile(Path path, String text) {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern CODE = Pattern.compile("^```(\\w+)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(#[^)\\s]*)?\\)");

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

    /** Links to other files of the project, as they are written. */
    List<String> relativeLinks() {
        return LINK.matcher(text)
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.contains("://"))
                .toList();
    }

    Path resolve(String link) {
        return path.resolveSibling(link);
    }

    @Override
    public String toString() {
        return path.getFileName().toString();
    }

    record CodeBlock(String name, String code) {

        @Override
        public String toString() {
            return name;
        }
    }
}
