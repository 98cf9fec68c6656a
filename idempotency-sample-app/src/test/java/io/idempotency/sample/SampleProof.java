package io.idempotency.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.SpringBootTest;

import io.idempotency.sample.notifications.KafkaReceiver;
import io.idempotency.sample.provider.SeenTransfers;

/** Marks a proof of the sample. All have the same configuration, so that they share one application. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("full")
@SpringBootTest(
        classes = {SampleApplication.class, KafkaReceiver.class, SeenTransfers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.profiles.active=postgres",
            "spring.kafka.listener.auto-startup=false",
            "idempotency.outbox.handler-threads=8",
            "sample.provider.lost-answers=0",
            "sample.provider.pause=1ms",
            "sample.webhooks.public-url=" + WebhookDelivery.PUBLIC_URL
        })
public @interface SampleProof {}
