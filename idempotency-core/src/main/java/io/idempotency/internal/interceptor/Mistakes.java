package io.idempotency.internal.interceptor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/** Several mistakes that are reported in one exception, so that an application is not started once for each of them. */
final class Mistakes {

    /** The mistakes by their messages: the search for methods reads some methods twice, and in any order. */
    private final TreeMap<String, IdempotencyStartupException> found = new TreeMap<>();

    /** Makes a check, and keeps its mistake for the report. */
    void check(Runnable check) {
        read(() -> {
            check.run();
            return null;
        });
    }

    /** Returns what is read; {@code null} if it has a mistake, which is kept for the report. */
    <T> @Nullable T read(Supplier<@Nullable T> reading) {
        try {
            return reading.get();
        } catch (IdempotencyStartupException mistake) {
            if (mistake instanceof Several several) {
                found.putAll(several.mistakes);
            } else {
                found.put(String.valueOf(mistake.getMessage()), mistake);
            }
            return null;
        }
    }

    /**
     * Ends the collection.
     *
     * @throws IdempotencyStartupException if there is a mistake; with all of them if there are several
     */
    void report() {
        if (found.size() == 1) {
            throw found.firstEntry().getValue();
        }
        if (!found.isEmpty()) {
            throw new Several(found);
        }
    }

    private static String numbered(
            Collection<IdempotencyStartupException> mistakes, Function<IdempotencyStartupException, String> part) {
        List<IdempotencyStartupException> list = new ArrayList<>(mistakes);
        return IntStream.range(0, list.size())
                .mapToObj(i -> System.lineSeparator() + (i + 1) + ". " + part.apply(list.get(i)))
                .collect(Collectors.joining());
    }

    private static final class Several extends IdempotencyStartupException {

        private static final long serialVersionUID = 1L;

        private final TreeMap<String, IdempotencyStartupException> mistakes;

        Several(SortedMap<String, IdempotencyStartupException> mistakes) {
            super(
                    "There are " + mistakes.size() + " mistakes:"
                            + numbered(mistakes.values(), IdempotencyStartupException::problem),
                    "What to do about each:" + numbered(mistakes.values(), IdempotencyStartupException::action));
            this.mistakes = new TreeMap<>(mistakes);
            mistakes.values().forEach(this::addSuppressed);
        }
    }
}
