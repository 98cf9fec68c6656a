package io.idempotency.internal.response;

import java.lang.reflect.Type;
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
import io.idempotency.IdempotencyStartupException;
import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random response types with random values: each is refused at start-up, or fails the call that would lose something and says
 * what to change, or every replay is equal to the first answer. And none is refused without need.
 */
@Tag("full")
class ResponseTypesPropertyTest {

    private static final int TYPES = TestSize.pick(500, 10_000);

    private static final int VALUES = 6;

    private static final Pattern ADVICE = Pattern.compile("Let JSON carry it|declare a class that Jackson can make|"
            + "return data that does not lead back|half of a surrogate pair|return a reference to what was made");

    private final JacksonResponseCodec codec = new JacksonResponseCodec(new JsonMapper());

    private final ResponseMapper responses = new ResponseMapper(List.of(codec), 1_000_000, false);

    private final List<String> wrong = new ArrayList<>();

    private int refused;

    private int failed;

    private int equal;

    @Test
    void everyReplayIsEqualToTheFirstAnswerOrThereIsNone() {
        long seed = Long.getLong("idempotency.test.seed", 20_260_203L);
        Random random = new Random(seed);
        for (int i = 0; i < TYPES; i++) {
            check(new RandomTypes(random, List.of()).next(), new RandomValues(new Random(random.nextLong()), Map.of()));
        }

        System.out.printf(
                "Of %d response types with %d values each %d were refused at start-up, %d failed a first call, and of %d"
                        + " every replay was equal to the first answer (seed %d).%n",
                TYPES, VALUES, refused, failed, equal, seed);
        assertThat(wrong).isEmpty();
        assertThat(List.of(refused, failed, equal)).allMatch(count -> count > TYPES / 20);
    }

    private void check(ResolvableType type, RandomValues values) {
        try {
            responses.requireStorable(type.getType());
        } catch (IdempotencyStartupException refusal) {
            refused++;
            assertThat(refusal.action()).isNotBlank();
            requireReason(type, values, refusal);
            return;
        }
        boolean allEqual = true;
        for (int i = 0; i < VALUES; i++) {
            allEqual &= isReplayedEqually(type.getType(), values.of(type));
        }
        if (allEqual) {
            equal++;
        } else {
            failed++;
        }
    }

    private boolean isReplayedEqually(Type type, @Nullable Object response) {
        Intent intent = new Intent("scope", "", new IdempotencyKey("key"));
        String portrait = Portrait.of(response);
        String body;
        try {
            body = responses.write(intent, response, type, false);
        } catch (ResponseNotStorableException refusal) {
            assertThat(refusal).message().containsPattern(ADVICE);
            if (isCarried(response, type, portrait)) {
                wrong.add(type + " was refused without need: " + refusal.getMessage() + "\n" + portrait);
            }
            return false;
        }
        for (int repeat = 0; repeat < 2; repeat++) {
            String replayed = Portrait.of(responses.read(intent, body, type));
            if (!replayed.equals(portrait)) {
                wrong.add(type + ": " + portrait + "\nis replayed as\n" + replayed);
            }
        }
        return true;
    }

    private void requireReason(ResolvableType type, RandomValues values, IdempotencyStartupException refusal) {
        if (refusal.problem().contains("is a JPA entity")) {
            return;
        }
        for (int i = 0; i < 500; i++) {
            Object response = values.of(type);
            if (!isCarried(response, type.getType(), Portrait.of(response))) {
                return;
            }
        }
        wrong.add(type + " was refused without need: " + refusal.getMessage());
    }

    private boolean isCarried(@Nullable Object response, Type type, String portrait) {
        try {
            return Portrait.of(codec.decode(codec.encode(response, type), type)).equals(portrait);
        } catch (RuntimeException | StackOverflowError lost) {
            return false;
        }
    }
}
