package io.idempotency.internal.operation;

import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Supplier;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.codec.ResponseMapper;

/** The rule that the codec can read back the arguments of a call that is to be resumed. */
final class StorableArgumentsRule {

    private final Supplier<ResponseMapper> codecs;

    StorableArgumentsRule(Supplier<ResponseMapper> codecs) {
        this.codecs = codecs;
    }

    void check(IdempotentOperation operation) {
        List<Type> types = operation.storedArguments();
        for (int i = 0; types != null && i < types.size(); i++) {
            try {
                codecs.get().requireStorable(types.get(i));
            } catch (IdempotencyStartupException unstorable) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe()
                                + " is to be resumed with its stored arguments, but takes as parameter " + (i + 1) + " "
                                + unstorable.problem(),
                        unstorable.action() + " Or remove resume = true.");
            }
        }
    }
}
