package io.idempotency.boot.chain;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.inbox.MessageRetention;
import io.idempotency.internal.inbox.ReceiverParser;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationRules;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The rules for one method, applied as at the start of an application. */
final class MethodRules {

    private static final RetentionPolicy RETENTION = Defaults.retention(null);

    private final AnnotationOperationSource operations = new AnnotationOperationSource(
            text -> text,
            () -> RETENTION,
            List.of(new ReceiverParser(
                    text -> text, () -> new MessageRetention(RETENTION, Duration.ofDays(14), Map.of()))));

    private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

    private final OperationRules rules;

    MethodRules(ResponseCodec... codecs) {
        List<ResponseCodec> all = Stream.concat(
                        Stream.of(codecs), Stream.of(new JacksonResponseCodec(new JsonMapper())))
                .toList();
        rules = new OperationRules(operations.kinds(), () -> new ResponseMapper(all, 10_000, true), () -> true);
    }

    void check(Class<?> type, String name) {
        Method method = Arrays.stream(type.getDeclaredMethods())
                .filter(declared -> declared.getName().equals(name))
                .findFirst()
                .orElseThrow();
        IdempotentOperation operation = operations.findOperation(method, type);
        rules.check(operation, type);
        rules.checkTransaction(operation, transactions.getTransactionAttribute(method, type), false);
        rules.checkStored(operation);
    }

    static void assertRefused(Class<?> type, String method, String problem, String action) {
        InvalidIdempotentMethodException refused = catchThrowableOfType(
                InvalidIdempotentMethodException.class, () -> new MethodRules().check(type, method));
        assertThat(refused).as("the refusal of %s", method).isNotNull();
        assertThat(refused.problem()).contains(problem, type.getName() + "." + method + "(");
        assertThat(refused.action()).contains(action);
    }
}
