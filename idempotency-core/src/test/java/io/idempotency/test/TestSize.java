package io.idempotency.test;

/**
 * How much work the tests do: system property {@value #PROPERTY}, {@code short} (the default suite, scaled to seconds)
 * or {@code long} (the full sizes, run by hand).
 */
public enum TestSize {
    SHORT,
    LONG;

    static final String PROPERTY = "idempotency.test.size";

    public static TestSize current() {
        String value = System.getProperty(PROPERTY, "short");
        return switch (value) {
            case "", "short" -> SHORT;
            case "long" -> LONG;
            default -> throw new IllegalArgumentException(PROPERTY + " must be short or long, not '" + value + "'");
        };
    }

    public static <T> T pick(T shortValue, T longValue) {
        return current() == LONG ? longValue : shortValue;
    }
}
