package io.idempotency.internal.interceptor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.idempotency.InvalidIdempotentMethodException;

/** Several mistakes that are reported in one exception, so that an application is not started once for each of them. */
final class Mistakes {

    /** The mistakes by their messages: the search for methods reads some methods twice, and in any order. */
    private final TreeMap<String, InvalidIdempotentMethodException> found = new TreeMap<>();

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
        } catch (InvalidIdempotentMethodException mistake) {
            if (mistake.getSuppressed().length == 0) {
                found.put(String.valueOf(mistake.getMessage()), mistake);
            }
            for (Throwable one : mistake.getSuppressed()) {
                found.put(String.valueOf(one.getMessage()), (InvalidIdempotentMethodException) one);
            }
            return null;
        }
    }

    /**
     * Ends the collection.
     *
     * @throws InvalidIdempotentMethodException if there is a mistake; with all of them if there are several
     */
    void report() {
        Collection<InvalidIdempotentMethodException> mistakes = found.values();
        if (mistakes.size() == 1) {
            throw mistakes.iterator().next();
        }
        if (!mistakes.isEmpty()) {
            InvalidIdempotentMethodException all = new InvalidIdempotentMethodException(
                    "There are " + mistakes.size() + " mistakes:"
                            + numbered(mistakes, InvalidIdempotentMethodException::problem),
                    "What to do about each:" + numbered(mistakes, InvalidIdempotentMethodException::action));
            mistakes.forEach(all::addSuppressed);
            throw all;
        }
    }

    private static String numbered(
            Collection<InvalidIdempotentMethodException> mistakes,
            Function<InvalidIdempotentMethodException, String> part) {
        List<InvalidIdempotentMethodException> list = new ArrayList<>(mistakes);
        return IntStream.range(0, list.size())
                .mapToObj(i -> System.lineSeparator() + (i + 1) + ". " + part.apply(list.get(i)))
                .collect(Collectors.joining());
    }
}
