package io.idempotency.internal.codec;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationRules;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random response types with random values: each is refused at start-up, or fails the call that would lose something and says
 * what to change, or every replay is equal to the first answer. And none is refused without need.
 */
@Tag("full")
class ResponseTypesPropertyTest {

    private static final int TYPES = TestSize.pick(500, 10_000);

    private static final int BATCH = 500;

    private static final int VALUES = 6;

    private static final Pattern ADVICE = Pattern.compile("Let JSON carry it|declare a class that Jackson can make|"
            + "return data that does not lead back|half of a surrogate pair|return a reference to what was made");

    private final JacksonResponseCodec codec = new JacksonResponseCodec(new JsonMapper());

    private final ResponseMapper responses = new ResponseMapper(List.of(codec), 1_000_000, false);

    private final OperationRules rules = new OperationRules(() -> responses);

    private final List<String> wrong = new ArrayList<>();

    private int refused;

    private int failed;

    private int equal;

    @Test
    void everyReplayIsEqualToTheFirstAnswerOrThereIsNone() throws ReflectiveOperationException {
        long seed = Long.getLong("idempotency.test.seed", 20_260_203L);
        Random random = new Random(seed);
        for (int batch = 0; batch < TYPES / BATCH; batch++) {
            for (RandomResponseTypes.Service service : RandomResponseTypes.services(random, BATCH)) {
                check(service, new Random(random.nextLong()));
            }
        }

        System.out.printf(
                "Of %d response types with %d values each %d were refused at start-up, %d failed a first call, and of %d"
                        + " every replay was equal to the first answer (seed %d).%n",
                TYPES, VALUES, refused, failed, equal, seed);
        assertThat(wrong).isEmpty();
        assertThat(List.of(refused, failed, equal)).allMatch(count -> count > TYPES / 10);
    }

    private void check(RandomResponseTypes.Service service, Random random) throws ReflectiveOperationException {
        Method method = service.type().getMethod("call", String.class);
        IdempotentOperation operation = new AnnotationOperationSource(
                        text -> text,
                        () -> new RetentionPolicy(
                                null,
                                Duration.ofDays(7),
                                null,
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofDays(7),
                                Map.of()))
                .findOperation(method, service.type());
        RandomResponses values = new RandomResponses(random, service.type());
        try {
            rules.check(operation, service.type());
            rules.checkStored(operation);
        } catch (InvalidIdempotentMethodException refusal) {
            refused++;
            assertThat(refusal.action()).isNotBlank();
            requireReason(service, operation.responseType(), values, refusal);
            return;
        }
        boolean allEqual = true;
        for (int i = 0; i < VALUES; i++) {
            allEqual &= isReplayedEqually(
                    service, operation.responseType(), values.of(ResolvableType.forType(operation.responseType())));
        }
        if (allEqual) {
            equal++;
        } else {
            failed++;
        }
    }

    private boolean isReplayedEqually(RandomResponseTypes.Service service, Type type, @Nullable Object response) {
        Intent intent = new Intent(service.type().getName(), "", new IdempotencyKey("key"));
        String portrait = Portrait.of(response);
        String body;
        try {
            body = responses.write(intent, response, type, false);
        } catch (ResponseNotStorableException refusal) {
            assertThat(refusal).message().containsPattern(ADVICE);
            if (isCarried(response, type, portrait)) {
                wrong(service, "refused without need: " + refusal.getMessage() + "\n" + portrait);
            }
            return false;
        }
        for (int repeat = 0; repeat < 2; repeat++) {
            String replayed = Portrait.of(responses.read(intent, body, type));
            if (!replayed.equals(portrait)) {
                wrong(service, portrait + "\nis replayed as\n" + replayed);
            }
        }
        return true;
    }

    private void requireReason(
            RandomResponseTypes.Service service,
            Type type,
            RandomResponses values,
            InvalidIdempotentMethodException refusal) {
        if (refusal.problem().contains("is a JPA entity")) {
            return;
        }
        for (int i = 0; i < 500; i++) {
            Object response = values.of(ResolvableType.forType(type));
            if (!isCarried(response, type, Portrait.of(response))) {
                return;
            }
        }
        wrong(service, "refused without need: " + refusal.getMessage());
    }

    private void wrong(RandomResponseTypes.Service service, String problem) {
        if (wrong.size() < 10) {
            wrong.add(problem + "\n" + service.source());
        }
    }

    private boolean isCarried(@Nullable Object response, Type type, String portrait) {
        try {
            return Portrait.of(codec.decode(codec.encode(response, type), type)).equals(portrait);
        } catch (RuntimeException | StackOverflowError lost) {
            return false;
        }
    }
}
