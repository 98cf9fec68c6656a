package io.idempotency.proof;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Counts effects outside of the database. It is a bean of each application of an {@link IdempotencyProof}; the
 * pretend provider, mail sender or message listener of the test tells it what it saw.
 *
 * <p>An effect may be seen more than once with one and the same downstream key, because the provider recognizes it. Without a
 * downstream key it must be seen as often as in a run without a fault.
 */
public final class EffectProbe {

    static final EffectProbe INSTANCE = new EffectProbe();

    private final List<Sighting> sightings = new ArrayList<>();

    private EffectProbe() {}

    /**
     * Records an effect that nothing identifies.
     *
     * @param effect name of the effect, such as {@code mail}
     */
    public void saw(String effect) {
        saw(effect, null);
    }

    /**
     * Records an effect.
     *
     * @param effect name of the effect, such as {@code charge}
     * @param downstreamKey the key by which a repeat is recognized; {@code null} if the call had none
     */
    public void saw(String effect, @Nullable String downstreamKey) {
        Place place = Place.behind(Thread.currentThread().getStackTrace());
        synchronized (sightings) {
            sightings.add(new Sighting(effect, downstreamKey, place));
        }
    }

    List<Sighting> takeSightings() {
        synchronized (sightings) {
            List<Sighting> taken = List.copyOf(sightings);
            sightings.clear();
            return taken;
        }
    }

    record Sighting(
            String effect,
            @Nullable String downstreamKey,
            @Nullable Place place) {}
}
