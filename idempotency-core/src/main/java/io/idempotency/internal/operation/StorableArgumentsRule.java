package io.idempotency.internal.operation;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.Supplier;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.response.ResponseMapper;

/** The rule that the codec can read back the arguments of a call that is to be resumed. */
final class StorableArgumentsRule {

    private final Supplier<ResponseMapper> codecs;

    StorableArgumentsRule(Supplier<ResponseMapper> codecs) {
        this.codecs = codecs;
    }

    void check(CallOperation operation) {
        Map<String, Type> parameters = operation.storedArguments();
        if (parameters != null) {
            parameters.forEach((name, type) -> check(operation, name, type));
        }
    }

    private void check(CallOperation operation, String name, Type type) {
        try {
            codecs.get().requireStorable(type);
        } catch (IdempotencyStartupException unstorable) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " is to be resumed with its stored arguments, but takes as parameter '" + name + "' "
                            + unstorable.problem(),
                    unstorable.action() + " Or remove resume = true.");
        }
    }
}
