package io.idempotency.internal.response;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;
import javax.xml.datatype.XMLGregorianCalendar;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Asks each class of the Java platform of which values can be made: two that differ must not look equal, and none may look different
 * on a machine with other settings, be it refused or not.
 */
@Tag("full")
class PlatformValuesTest {

    /** Classes that are no data, and whose objects would be dangerous or slow to make. */
    private static final String NO_DATA =
            "java\\.(awt|rmi|beans|lang\\.(reflect|invoke|foreign|management|instrument)|util\\.(logging"
                    + "|prefs|concurrent\\.(Exec|Fork|Thread|Sched).*)|net\\.http|nio\\.channels|applet)\\b.*"
                    + "|javax\\.(swing|print|sound|imageio|management|rmi|accessibility|naming|net|smartcardio|tools|annotation|lang)\\b.*"
                    + "|java\\.lang\\.(Thread|Process|Runtime|System|Shutdown|ClassLoader|Module|InheritableThread|ref).*"
                    + "|java\\.util\\.(Timer|Scanner|ServiceLoader|concurrent\\.(Exchanger|Phaser|CyclicBarrier|Semaphore|CountDownLatch)).*";

    private static final int MOST_OF_A_CLASS = 60;

    private final Fingerprinter fingerprinter = new Fingerprinter(new JsonMapper());

    private final Map<Class<?>, List<Object>> made = new LinkedHashMap<>();

    @Test
    void noneLooksLikeAnotherOrAsTheMachineIsSet() throws IOException {
        List<Class<?>> classes = classes();
        arguments();
        for (int round = 0; round < 3; round++) {
            classes.forEach(this::make);
        }
        List<String> problems = new ArrayList<>();
        int asked = 0;
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        for (Class<?> type : classes) {
            List<Object> values = made.getOrDefault(type, List.of());
            asked += values.size();
            List<@Nullable Fingerprint> here =
                    values.stream().map(this::fingerprintOf).toList();
            for (int i = 0; i < values.size(); i++) {
                for (int j = 0; j < i; j++) {
                    if (here.get(i) != null
                            && here.get(i).equals(here.get(j))
                            && differ(values.get(i), values.get(j))) {
                        problems.add(
                                type.getName() + ": " + textOf(values.get(i)) + " looks like " + textOf(values.get(j)));
                        i = values.size() - 1;
                        break;
                    }
                }
            }
            try {
                Locale.setDefault(Locale.forLanguageTag("ar-EG"));
                TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
                for (int i = 0; i < values.size(); i++) {
                    Fingerprint there = fingerprintOf(values.get(i));
                    if (here.get(i) != null && there != null && !there.equals(here.get(i))) {
                        problems.add(
                                type.getName() + ": " + textOf(values.get(i)) + " is another one on another machine");
                        break;
                    }
                }
            } finally {
                Locale.setDefault(locale);
                TimeZone.setDefault(zone);
            }
        }
        assertThat(problems).isEmpty();
        assertThat(asked).isGreaterThan(5_000);
    }

    private @Nullable Fingerprint fingerprintOf(Object value) {
        try {
            return fingerprinter.of(value);
        } catch (RuntimeException refused) {
            return null;
        }
    }

    private static String textOf(Object value) {
        try {
            return value.toString();
        } catch (RuntimeException without) {
            return value.getClass().getName();
        }
    }

    private static boolean differ(Object one, Object other) {
        if (one instanceof Number first && other instanceof Number second) {
            return first.doubleValue() != second.doubleValue();
        }
        if (one instanceof XMLGregorianCalendar) {
            // Its equals compares moments, and not always to an end.
            return !textOf(one).equals(textOf(other));
        }
        try {
            if (one.getClass().getMethod("equals", Object.class).getDeclaringClass() != Object.class) {
                return !one.equals(other);
            }
            return one.getClass().getMethod("toString").getDeclaringClass() != Object.class
                    && !textOf(one).equals(textOf(other));
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<Class<?>> classes() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            return files.filter(file -> file.toString().endsWith(".class") && file.getNameCount() > 3)
                    .map(file -> file.subpath(2, file.getNameCount()).toString().replace('/', '.'))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .filter(name -> name.startsWith("java.") || name.startsWith("javax."))
                    .filter(name -> !name.matches(NO_DATA))
                    .sorted()
                    .<Class<?>>map(PlatformValuesTest::load)
                    .filter(type -> Modifier.isPublic(type.getModifiers())
                            && type.getModule().isExported(type.getPackageName())
                            && !AutoCloseable.class.isAssignableFrom(type)
                            && !Throwable.class.isAssignableFrom(type)
                            && !Runnable.class.isAssignableFrom(type))
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ClassLoader.getPlatformClassLoader());
        } catch (ClassNotFoundException | LinkageError notThere) {
            return Void.class;
        }
    }

    private void arguments() {
        put(int.class, 0, 1, 2);
        put(long.class, 0L, 1L, 1_500L, 90_000_000L);
        put(short.class, (short) 1, (short) 2);
        put(byte.class, (byte) 1, (byte) 2);
        put(char.class, 'a', 'b');
        put(boolean.class, true, false);
        put(double.class, 0.5, 1.0);
        put(float.class, 0.5f, 1f);
        put(byte[].class, new byte[] {1}, new byte[] {1, 2});
        put(int[].class, new int[] {1}, new int[] {1, 2});
        put(char[].class, new char[] {'a'}, new char[] {'a', 'b'});
        put(
                String.class,
                "a",
                "b",
                "a/b",
                "en",
                "EUR",
                "UTC",
                "Europe/Paris",
                "2026-02-03",
                "2026-02-03T04:05:06",
                "2026-02-03T04:05:06Z",
                "2026-02-03T04:05:06.5+01:00",
                "2026-02-03 04:05:06",
                "04:05:06",
                "--02-03",
                "P1Y",
                "P12M",
                "PT1S",
                "http://a/b",
                "1.2.3.4",
                "1");
        put(Object.class, "a", "b");
        put(java.util.Collection.class, List.of("a"), List.of("b"));
        put(Map.class, Map.of("a", "b"), Map.of("a", "c"));
        put(java.util.Set.class, java.util.Set.of("a"), java.util.Set.of("b"));
    }

    private void put(Class<?> type, Object... values) {
        made.put(type, new ArrayList<>(List.of(values)));
    }

    private void make(Class<?> type) {
        List<Executable> makers = new ArrayList<>(List.of(type.getConstructors()));
        for (Method method : type.getMethods()) {
            boolean isFactory =
                    Modifier.isStatic(method.getModifiers()) && type.isAssignableFrom(method.getReturnType());
            boolean isMadeByFactory = type.getSimpleName().endsWith("Factory")
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getName().matches("(new|create)[A-Z].*");
            if ((isFactory || isMadeByFactory) && method.getDeclaringClass() == type) {
                makers.add(method);
            }
        }
        makers.sort(Comparator.comparing(Executable::toString));
        for (Executable maker : makers) {
            makeBy(maker, type);
        }
    }

    private void makeBy(Executable maker, Class<?> type) {
        List<List<Object>> candidates = new ArrayList<>();
        boolean isOfInstance = maker instanceof Method && !Modifier.isStatic(maker.getModifiers());
        if (isOfInstance) {
            candidates.add(made.getOrDefault(type, List.of()));
        }
        for (Class<?> parameter : maker.getParameterTypes()) {
            candidates.add(
                    parameter.isEnum()
                            ? Arrays.asList(parameter.getEnumConstants())
                            : made.getOrDefault(parameter, List.of()));
        }
        if (candidates.stream().anyMatch(List::isEmpty)) {
            return;
        }
        int turns = candidates.isEmpty()
                ? 1
                : candidates.size() == 1 ? candidates.get(0).size() : 12;
        for (int turn = 0; turn < turns; turn++) {
            Object[] arguments = new Object[candidates.size()];
            int rest = turn;
            for (int i = arguments.length - 1; i >= 0; i--) {
                List<Object> of = candidates.get(i);
                arguments[i] = of.get(Math.floorMod(rest, of.size()));
                rest = candidates.size() == 1 ? rest : rest / Math.min(of.size(), 3) + (i == 0 ? 0 : turn % 2);
            }
            try {
                Object value = maker instanceof java.lang.reflect.Constructor<?> constructor
                        ? constructor.newInstance(arguments)
                        : ((Method) maker)
                                .invoke(
                                        isOfInstance ? arguments[0] : null,
                                        isOfInstance ? Arrays.copyOfRange(arguments, 1, arguments.length) : arguments);
                if (value != null) {
                    add(isOfInstance ? ((Method) maker).getReturnType() : type, value);
                }
            } catch (ReflectiveOperationException | RuntimeException | LinkageError refused) {
                // No value.
            }
        }
    }

    private void add(Class<?> type, Object value) {
        List<Object> values = made.computeIfAbsent(type, unknown -> new ArrayList<>());
        if (values.size() < MOST_OF_A_CLASS) {
            values.add(value);
        }
    }
}
