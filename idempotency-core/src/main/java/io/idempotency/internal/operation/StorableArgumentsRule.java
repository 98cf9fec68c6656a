package io.idempotency.internal.operation;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.response.ResponseMapper;

/** The rule that a call that is to be resumed can be: messages do it, and the codec can read back its arguments. */
final class StorableArgumentsRule {

    private final Supplier<ResponseMapper> codecs;

    private final BooleanSupplier resumes;

    StorableArgumentsRule(Supplier<ResponseMapper> codecs, BooleanSupplier resumes) {
        this.codecs = codecs;
        this.resumes = resumes;
    }

    void check(CallOperation operation) {
        Map<String, Type> parameters = operation.storedArguments();
        if (parameters != null) {
            if (!resumes.getAsBoolean()) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe()
                                + " has resume = true, but there is no outbox, by whose messages a call is finished without its"
                                + " client.",
                        "Add the dependency io.idempotency:idempotency-messaging-spring-boot-starter and do not set"
                                + " idempotency.outbox.enabled=false, or remove resume = true.");
            }
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
