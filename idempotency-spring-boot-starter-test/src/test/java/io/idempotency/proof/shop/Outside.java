package io.idempotency.proof.shop;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

import io.idempotency.proof.EffectProbe;

/** Pretends to be a provider, a cache and a file system. */
@Component
class Outside {

    private final EffectProbe probe;

    Outside(EffectProbe probe) {
        this.probe = probe;
    }

    void charge(@Nullable String downstreamKey) {
        probe.saw("charge", downstreamKey);
    }

    void incrementInCache() {
        probe.saw("cache");
    }

    void appendToFile() {
        probe.saw("file");
    }
}
