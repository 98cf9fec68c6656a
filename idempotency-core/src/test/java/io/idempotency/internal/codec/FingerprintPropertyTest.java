package io.idempotency.internal.codec;

import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every payload, tried with random ones. A failure names the seed that repeats it. */
@Tag("full")
class FingerprintPropertyTest {

    private static final int TREES = 2_000;

    private final Fingerprinter fingerprinter =
            new Fingerprinter(JsonMapper.builder().build());

    @Test
    void theOrderOfMembersAndMembersThatAreNullChangeNothing() {
        withRandomTrees((random, tree) ->
                assertThat(fingerprinter.of(random.sameMeaning(tree))).isEqualTo(fingerprinter.of(tree)));
    }

    @Test
    void everyLeafCounts() {
        withRandomTrees((random, tree) -> {
            Fingerprint fingerprint = fingerprinter.of(tree);
            for (int leaf = 0; leaf < random.leaves(tree); leaf++) {
                Object changed = random.otherMeaning(tree, leaf);
                assertThat(fingerprinter.of(changed).contradicts(fingerprint))
                        .as("%s and %s", tree, changed)
                        .isTrue();
            }
        });
    }

    private static void withRandomTrees(Property property) {
        Random seeds = new Random();
        for (int i = 0; i < TREES; i++) {
            long seed = seeds.nextLong();
            RandomJson random = new RandomJson(seed);
            Object tree = random.tree();
            try {
                property.check(random, tree);
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("With new RandomJson(" + seed + "L): " + failure.getMessage(), failure);
            }
        }
    }

    @FunctionalInterface
    private interface Property {
        void check(RandomJson random, Object tree);
    }
}
