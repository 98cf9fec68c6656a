package io.idempotency;

/**
 * The identity of a request: calls with equal intents are attempts at the same request.
 *
 * @param scope the operation, 1 to 128 printable characters
 * @param caller the caller, 0 to 128 printable characters; empty if the application does not tell callers apart
 * @param key the key that the caller chose for this intent
 */
public record Intent(String scope, String caller, IdempotencyKey key) {

    /** The longest scope, in characters. */
    public static final int MAX_SCOPE_LENGTH = 128;

    /** The longest caller, in characters. */
    public static final int MAX_CALLER_LENGTH = 128;

    /**
     * Checks scope and caller.
     *
     * @throws IllegalArgumentException if the scope is blank, too long or not printable
     * @throws InvalidIdempotencyKeyException if the caller is too long or not printable
     */
    public Intent {
        requireScope(scope);
        PrintableText.findProblem(caller, 0, MAX_CALLER_LENGTH).ifPresent(problem -> {
            throw new InvalidIdempotencyKeyException(
                    "The caller of a call in scope '" + scope + "' " + problem, "caller", null);
        });
    }

    /**
     * Checks a scope.
     *
     * @param scope the scope
     * @return the same scope
     * @throws IllegalArgumentException if the scope is blank, too long or not printable
     */
    public static String requireScope(String scope) {
        PrintableText.findProblem(scope, 1, MAX_SCOPE_LENGTH).ifPresent(problem -> {
            throw new IllegalArgumentException("The scope of an idempotent operation " + problem);
        });
        return scope;
    }

    @Override
    public String toString() {
        return "key '" + key + "' in scope '" + scope + "'" + (caller.isEmpty() ? "" : " of caller '" + caller + "'");
    }
}
