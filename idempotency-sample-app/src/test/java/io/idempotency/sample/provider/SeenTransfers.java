package io.idempotency.sample.provider;

import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.proof.EffectProbe;

/** Tells the proofs what the pretend provider was asked for. No component, or all samples of other tests would have it. */
@Primary
public class SeenTransfers extends Transfers {

    private final EffectProbe probe;

    SeenTransfers(JdbcClient jdbc, EffectProbe probe) {
        super(jdbc);
        this.probe = probe;
    }

    @Override
    ProviderAnswer decide(String key, TransferOrder order) {
        probe.saw("transfer", key);
        return super.decide(key, order);
    }
}
