package io.idempotency.internal.codec;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Writes and compiles services with one idempotent method each, whose return types are composed at random of everything that
 * an application may return: also what Jackson cannot read, or hides.
 */
final class RandomResponseTypes {

    private static final List<String> LEAVES = List.of(
            "boolean",
            "int",
            "long",
            "double",
            "float",
            "short",
            "byte",
            "char",
            "Boolean",
            "Integer",
            "Long",
            "Double",
            "Character",
            "String",
            "String",
            "String",
            "java.math.BigDecimal",
            "java.math.BigDecimal",
            "java.math.BigInteger",
            "java.util.UUID",
            "java.time.Instant",
            "java.time.LocalDate",
            "java.time.LocalTime",
            "java.time.LocalDateTime",
            "java.time.OffsetDateTime",
            "java.time.ZonedDateTime",
            "java.time.Duration",
            "java.time.Period",
            "java.time.YearMonth",
            "java.time.DayOfWeek",
            "java.time.ZoneId",
            "java.net.URI",
            "java.util.Locale",
            "java.util.Currency",
            "java.util.Date",
            "byte[]",
            "int[]",
            "double[]",
            "String[]",
            "java.util.concurrent.atomic.AtomicInteger",
            "java.util.OptionalInt");

    private static final List<String> OPEN_LEAVES = List.of(
            "Object",
            "Object",
            "Number",
            "CharSequence",
            "java.io.Serializable",
            "Comparable<?>",
            "tools.jackson.databind.JsonNode",
            "java.util.regex.Pattern",
            "StringBuilder",
            "RuntimeException",
            "Iterable<String>",
            "java.io.InputStream");

    private static final List<String> KEYS = List.of(
            "String", "String", "Integer", "java.util.UUID", "java.time.LocalDate", "Object", "java.time.DayOfWeek");

    private static final List<String> ON_MEMBERS = List.of(
            "@JsonIgnore",
            "@JsonProperty(\"other\")",
            "@JsonProperty(access = JsonProperty.Access.READ_ONLY)",
            "@JsonProperty(access = JsonProperty.Access.WRITE_ONLY)",
            "@JsonInclude(JsonInclude.Include.NON_NULL)",
            "@JsonInclude(JsonInclude.Include.NON_EMPTY)",
            "@JsonInclude(JsonInclude.Include.NON_DEFAULT)",
            "@JsonFormat(shape = JsonFormat.Shape.STRING)",
            "@JsonSerialize(using = tools.jackson.databind.ser.std.ToStringSerializer.class)",
            "@JsonAlias(\"alias\")");

    private final Random random;

    private final List<String> furtherLeaves;

    private final StringBuilder classes = new StringBuilder();

    private final List<String> names = new ArrayList<>();

    private int count;

    private RandomResponseTypes(Random random, List<String> furtherLeaves) {
        this.random = random;
        this.furtherLeaves = furtherLeaves;
    }

    /** One compiled service. */
    record Service(Class<?> type, String source) {}

    static List<Service> services(Random random, int count) {
        return services(random, count, List.of());
    }

    /** @param furtherLeaves names of types that some members have, one in eight */
    static List<Service> services(Random random, int count, List<String> furtherLeaves) {
        Map<String, String> sources = new HashMap<>();
        for (int i = 0; i < count; i++) {
            sources.put(
                    "Service" + i,
                    new RandomResponseTypes(new Random(random.nextLong()), furtherLeaves).service("Service" + i));
        }
        Compiled compiled = Compiled.of(sources);
        List<Service> services = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            services.add(new Service(compiled.find("Service" + i), sources.get("Service" + i)));
        }
        return services;
    }

    private String service(String name) {
        String response = chance(4) ? container(0) : chance(8) ? type(1) : declared(0);
        return """
                import com.fasterxml.jackson.annotation.*;
                import io.idempotency.Idempotent;
                import java.util.*;
                import tools.jackson.databind.annotation.*;

                public class %s {

                    @Idempotent(scope = "%s", key = "#key")
                    public %s call(String key) {
                        return %s;
                    }
                %s}
                """.formatted(
                        name,
                        name,
                        response,
                        switch (response) {
                            case "boolean" -> "false";
                            case "int", "long", "double", "float", "short", "byte", "char" -> "0";
                            default -> "null";
                        },
                        classes);
    }

    private String type(int depth) {
        if (!furtherLeaves.isEmpty() && chance(8)) {
            return any(furtherLeaves);
        }
        if (depth > 3) {
            return chance(12) ? any(OPEN_LEAVES) : any(LEAVES);
        }
        return switch (random.nextInt(12)) {
            case 0, 1 -> container(depth);
            case 2, 3 -> declared(depth);
            case 4 -> chance(2) && !names.isEmpty() ? any(names) : any(LEAVES);
            case 5 -> chance(4) ? any(OPEN_LEAVES) : any(LEAVES);
            default -> any(LEAVES);
        };
    }

    private String reference(int depth) {
        String type = type(depth);
        return switch (type) {
            case "boolean" -> "Boolean";
            case "int" -> "Integer";
            case "long" -> "Long";
            case "double" -> "Double";
            case "float" -> "Float";
            case "short" -> "Short";
            case "byte" -> "Byte";
            case "char" -> "Character";
            default -> type;
        };
    }

    private String container(int depth) {
        String element = reference(depth + 1);
        return switch (random.nextInt(14)) {
            case 0, 1, 2 -> "List<" + element + ">";
            case 3 -> "Set<" + element + ">";
            case 4 -> "Optional<" + element + ">";
            case 5 -> "Map<" + any(KEYS) + ", " + element + ">";
            case 6, 7 -> "Map<String, " + element + ">";
            case 8 -> "Map<String, Object>";
            case 9 -> "List<Object>";
            case 10 -> element + "[]";
            case 11 ->
                any(List.of("Collection<", "Deque<", "ArrayList<", "HashSet<", "List<? extends ")) + element + ">";
            case 12 -> any(List.of("SortedSet<String>", "TreeMap<String, Integer>", "SortedMap<Integer, String>"));
            default ->
                any(List.of("java.util.concurrent.atomic.AtomicReference<", "Map.Entry<String, ")) + element + ">";
        };
    }

    /** Adds a class of some kind, with what belongs to it. */
    private String declared(int depth) {
        String name = "C" + count++;
        if (chance(3)) {
            // Types may lead back to themselves.
            names.add(name);
        }
        String declared = switch (random.nextInt(22)) {
            case 0, 1, 2, 3, 4 -> record(name, "", depth, "");
            case 5 -> record(name, "", depth, equalsById(name));
            case 6 -> generic(name, depth);
            case 7, 8 -> bean(name, "public static class %s", depth, true);
            case 9 -> bean(name, "public static final class %s", depth, false);
            case 10 -> open(name, depth);
            case 11 -> hidden(name, depth);
            case 12 -> withConstructor(name, depth);
            case 13 -> polymorphic(name, depth, "@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)");
            case 14 -> polymorphic(name, depth, "");
            case 15 -> withSubclass(name, depth);
            case 16 -> enumeration(name);
            case 17 -> wrapper(name);
            case 18 -> collection(name, depth);
            case 19 -> circular(name, chance(2));
            case 20 -> entity(name, depth);
            default -> withTransient(name, depth);
        };
        names.add(declared);
        return declared;
    }

    private String add(String name, String source) {
        classes.append(source.indent(4));
        return name;
    }

    private List<String> members(int depth) {
        List<String> members = new ArrayList<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            members.add((chance(14) ? any(ON_MEMBERS) + " " : "") + type(depth + 1) + " m" + i);
        }
        return members;
    }

    private String record(String name, String suffix, int depth, String body) {
        String members = "int id, " + String.join(", ", members(depth));
        return add(name, "public record %s(%s)%s {%s}%n".formatted(name, members, suffix, body));
    }

    private static String equalsById(String name) {
        return " public boolean equals(Object o) { return o instanceof %s x && x.id == id; } public int hashCode() { return id; } "
                .formatted(name);
    }

    private String generic(String name, int depth) {
        String argument = reference(depth + 1);
        add(name, "public record %s<T>(T value, List<T> values, Map<String, T> more) {}%n".formatted(name));
        return name + "<" + argument + ">";
    }

    private String bean(String name, String head, int depth, boolean setters) {
        StringBuilder source = new StringBuilder(head.formatted(name)).append(" {\n");
        for (String member : members(depth)) {
            String type = member.substring(0, member.lastIndexOf(' '));
            String field = member.substring(member.lastIndexOf(' ') + 1);
            String plain = type.startsWith("@") ? typeAfterAnnotation(type) : type;
            source.append("    private ").append(member).append(";\n");
            if (!chance(15)) {
                source.append("    public %s get%s() { return %s; }%n"
                        .formatted(plain, field.toUpperCase(java.util.Locale.ROOT), field));
            }
            if (setters) {
                source.append("    public void set%s(%s value) { this.%s = value; }%n"
                        .formatted(field.toUpperCase(java.util.Locale.ROOT), plain, field));
            }
        }
        return add(name, source.append("}\n").toString());
    }

    private static String typeAfterAnnotation(String annotated) {
        for (String annotation : ON_MEMBERS) {
            if (annotated.startsWith(annotation + " ")) {
                return annotated.substring(annotation.length() + 1);
            }
        }
        return annotated;
    }

    private String open(String name, int depth) {
        return add(
                name,
                "public static class %s { public %s; }%n".formatted(name, String.join("; public ", members(depth))));
    }

    /** Accessors that are none for JSON. */
    private String hidden(String name, int depth) {
        return add(
                name,
                "public static final class %s { private %s; public int id() { return 1; } }%n"
                        .formatted(name, String.join("; private ", members(depth))));
    }

    private String withTransient(String name, int depth) {
        return add(
                name,
                "public static class %s { public %s; public transient int remembered; }%n"
                        .formatted(name, String.join("; public ", members(depth))));
    }

    private String withConstructor(String name, int depth) {
        String types = type(depth + 1);
        String creator = any(List.of("", "@JsonCreator ", "public ", "private "));
        String creatorName = chance(2) ? "@JsonProperty(\"a\") " : "";
        return add(
                name,
                "public static final class %1$s { private final %2$s a; private final int b; %3$s%1$s(%4$s%2$s a, int b) { this.a = a; this.b = b; } public %2$s getA() { return a; } public int getB() { return b; } }%n"
                        .formatted(name, types, creator, creatorName));
    }

    private String polymorphic(String name, int depth, String annotation) {
        boolean isSealed = chance(2);
        String permitted = name + "A, " + name + "B";
        String subtypes = annotation.isEmpty() || (isSealed && chance(2))
                ? ""
                : "@JsonSubTypes({@JsonSubTypes.Type(%1$sA.class), @JsonSubTypes.Type(%1$sB.class)})".formatted(name);
        add(
                name,
                "%s %s public %s interface %s %s {}%n"
                        .formatted(
                                annotation,
                                subtypes,
                                isSealed ? "sealed" : "",
                                name,
                                isSealed ? "permits " + permitted : ""));
        record(name + "A", " implements " + name, depth + 1, "");
        record(name + "B", " implements " + name, depth + 1, "");
        return name;
    }

    private String withSubclass(String name, int depth) {
        open(name, depth + 1);
        return add(
                name,
                "public static class %1$sSub extends %1$s { public %2$s more; }%n".formatted(name, type(depth + 1)));
    }

    private String enumeration(String name) {
        return add(
                name,
                chance(3)
                        ? "public enum %s { X, Y, Z; @JsonValue public String text() { return this == X ? \"x\" : \"other\"; } }%n"
                                .formatted(name)
                        : "public enum %s { X, Y { @Override public String toString() { return \"why\"; } }, Z }%n"
                                .formatted(name));
    }

    private String wrapper(String name) {
        return add(
                name,
                switch (random.nextInt(3)) {
                    case 0 -> "public record %s(@JsonValue String text) {}%n".formatted(name);
                    case 1 ->
                        "public record %s(String text) { @JsonValue String lower() { return text == null ? null : text.toLowerCase(Locale.ROOT); } @JsonCreator static %s of(String text) { return new %s(text); } }%n"
                                .formatted(name, name, name);
                    default ->
                        "public record %s(List<String> texts) { public %s { texts = texts == null ? List.of() : List.copyOf(texts.stream().filter(Objects::nonNull).toList()); } }%n"
                                .formatted(name, name);
                });
    }

    private String collection(String name, int depth) {
        String extra = chance(2) ? "public String extra; " : "";
        return add(
                name,
                (chance(2)
                                ? "public static class %s extends ArrayList<%s> { %s}%n"
                                : "public static class %s extends LinkedHashMap<String, %s> { %s}%n")
                        .formatted(name, reference(depth + 1), extra));
    }

    private String circular(String name, boolean identified) {
        return add(
                name,
                "%s public static class %s { public int n; public %s back; }%n"
                        .formatted(
                                identified
                                        ? "@JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)"
                                        : "",
                                name,
                                name));
    }

    private String entity(String name, int depth) {
        return chance(3)
                ? bean(name, "@jakarta.persistence.Entity public static class %s", depth, true)
                : record(name, "", depth, "");
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T any(List<T> candidates) {
        return candidates.get(random.nextInt(candidates.size()));
    }

    /** What the compiler of this JVM made of sources. */
    private static final class Compiled extends ClassLoader {

        private final Map<String, ByteArrayOutputStream> code = new HashMap<>();

        private Compiled() {
            super(RandomResponseTypes.class.getClassLoader());
        }

        static Compiled of(Map<String, String> sources) {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
            Compiled compiled = new Compiled();
            StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null);
            boolean done = compiler.getTask(
                            null,
                            compiled.writing(files),
                            problems,
                            List.of("-parameters", "-proc:none", "-nowarn", "-Xlint:none"),
                            null,
                            sources.entrySet().stream()
                                    .map(source -> new Source(source.getKey(), source.getValue()))
                                    .toList())
                    .call();
            if (!done) {
                throw new IllegalStateException(problems.getDiagnostics().toString());
            }
            return compiled;
        }

        private JavaFileManager writing(StandardJavaFileManager files) {
            return new ForwardingJavaFileManager<>(files) {
                @Override
                public JavaFileObject getJavaFileForOutput(
                        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                    return new Code(name, () -> {
                        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                        code.put(name, bytes);
                        return bytes;
                    });
                }
            };
        }

        Class<?> find(String name) {
            try {
                return loadClass(name);
            } catch (ClassNotFoundException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ByteArrayOutputStream bytes = code.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes.toByteArray(), 0, bytes.size());
        }
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("memory:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Code extends SimpleJavaFileObject {

        private final Supplier<OutputStream> target;

        Code(String name, Supplier<OutputStream> target) {
            super(URI.create("memory:///" + name + ".class"), Kind.CLASS);
            this.target = target;
        }

        @Override
        public OutputStream openOutputStream() {
            return target.get();
        }
    }
}
