package io.idempotency.internal.operation;

import java.util.Set;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule that a fingerprint expression compares more than the key, without which the second item of a loop would be lost. */
final class FingerprintOfKeyRule implements OperationRule {

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (operation instanceof CallOperation call && call.fingerprintExpression() != null) {
            requireMoreThanKey(call, call.fingerprintExpression());
        }
    }

    private static void requireMoreThanKey(CallOperation call, ArgumentExpression fingerprint) {
        Set<String> compared = fingerprint.analysis().paths();
        Set<String> ofKey = call.keyExpression().analysis().paths();
        if (compared.isEmpty() || !ofKey.containsAll(compared)) {
            return;
        }
        boolean isHandler = AttemptArguments.isHandler(call.method());
        for (MethodParameter parameter : new AnnotatedMethod(call.method()).getMethodParameters()) {
            if (FingerprintableArgumentsRule.isData(parameter)
                    && !ofKey.contains(ExpressionAnalysis.pathOf(parameter.getParameterIndex()))
                    && !(isHandler && AttemptArguments.include(parameter))) {
                throw new InvalidIdempotentMethodException(
                        "The " + fingerprint + " compares nothing but the key, although "
                                + parameter.getGenericParameterType().getTypeName() + " "
                                + parameter.getParameter().getName()
                                + " is data: calls with one key and other data, as in a loop, would get the first response.",
                        "Remove fingerprint, or name what makes the payload, too. If nothing is to be compared, say so with"
                                + " fingerprint = \"''\".");
            }
        }
    }
}
