package io.idempotency.boot.outbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyJsonMapper;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.boot.logging.SummaryPart;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.fingerprint.StateModule;
import io.idempotency.internal.interceptor.StartupChecks;
import io.idempotency.internal.outbox.InProcessSender;
import io.idempotency.internal.outbox.Lanes;
import io.idempotency.internal.outbox.OpenTransaction;
import io.idempotency.internal.outbox.OutboxHandlers;
import io.idempotency.internal.outbox.OutboxRelay;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.outbox.OutboxTemplate;
import io.idempotency.internal.outbox.RelaySettings;
import io.idempotency.internal.ownership.DeclaredNames;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.retention.Sampler;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.messaging.MessagingListeners;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxSender;

/** The auto-configuration of the {@link Outbox} and of the relay that sends its messages. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnBooleanProperty(name = "idempotency.outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyOutboxProperties.class)
public final class IdempotencyOutboxAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    OutboxStore idempotencyOutboxStore(
            PostgresMessageStorage storage, NameOwners owners, IdempotencyOutboxProperties properties) {
        return storage.outboxStore(properties.retention(), owners.application());
    }

    @Bean
    RelayedDatabase idempotencyRelayedDatabase(IdempotencyDataSource dataSource) {
        return new RelayedDatabase(dataSource.dataSource());
    }

    @Bean
    WakeSignal idempotencyRelaySignal() {
        return new WakeSignal();
    }

    @Bean
    @ConditionalOnMissingBean
    Outbox idempotencyOutbox(
            OutboxStore outboxStore,
            JoinedTransactions transactions,
            IdempotencyJsonMapper json,
            ObjectProvider<PublishedHeaders> headers,
            WakeSignal signal,
            ObjectProvider<NotificationSender> notifications,
            RelayedDatabase relayed,
            NameOwners owners,
            @Qualifier("idempotencyDistinctDatabases") DatabaseResolver databaseResolver,
            IdempotencyOutboxProperties properties) {
        return new OutboxTemplate(
                outboxStore,
                topic -> owners.require(databaseResolver.resolveDatabase(), OutboxHandlers.TOPIC, topic),
                new OpenTransaction() {
                    @Override
                    public <T> T onConnection(Function<Connection, T> work) {
                        return transactions.onOpenConnection(connection -> {
                            relayed.require(connection);
                            return work.apply(connection);
                        });
                    }
                },
                JacksonResponseCodec.ofMessages(StateModule.addTo(json.mapper())),
                new Lanes(properties.lanes()),
                properties.maxPayloadSize().toBytes(),
                () -> all(headers),
                () -> {
                    signal.wake();
                    notifications.ifAvailable(NotificationSender::wake);
                });
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnBooleanProperty(name = "idempotency.outbox.notifications")
    NotificationSender idempotencyNotificationSender(PostgresMessageStorage storage) {
        return new NotificationSender(storage.outboxChannel());
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnBooleanProperty(name = "idempotency.outbox.notifications")
    @ConditionalOnBooleanProperty(name = "idempotency.outbox.relay", matchIfMissing = true)
    NotificationListener idempotencyNotificationListener(
            PostgresMessageStorage storage, WakeSignal signal, IdempotencyOutboxProperties properties) {
        return new NotificationListener(storage.outboxChannel(), signal, properties.pollInterval());
    }

    private static Map<String, String> all(ObjectProvider<PublishedHeaders> providers) {
        Map<String, String> all = new HashMap<>();
        providers.forEach(provider -> all.putAll(provider.get()));
        return all;
    }

    @Bean
    OutboxHandlers idempotencyOutboxHandlers(ConfigurableListableBeanFactory beans, IdempotencyJsonMapper json) {
        return new OutboxHandlers(beans, JacksonResponseCodec.ofMessages(json.mapper()));
    }

    @Bean
    StartupChecks idempotencyHandlerChecks(OutboxHandlers handlers) {
        return handlers::checks;
    }

    @Bean
    DeclaredNames idempotencyHandlerNames(OutboxHandlers handlers) {
        return handlers::names;
    }

    @Bean
    @ConditionalOnMissingBean(OutboxSender.class)
    InProcessSender idempotencyInProcessSender(
            OutboxHandlers handlers, Inbox inbox, IdempotencyOutboxProperties properties) {
        switch (properties.sender()) {
            case KAFKA ->
                throw new IdempotencyStartupException(
                        "idempotency.outbox.sender = kafka, but there is no Kafka ProducerFactory.",
                        "Add spring-boot-starter-kafka and configure spring.kafka, or remove the property.");
            case RABBIT ->
                throw new IdempotencyStartupException(
                        "idempotency.outbox.sender = rabbit, but there is no ConnectionFactory for RabbitMQ, or there are"
                                + " several and none of them is primary.",
                        "Add spring-boot-starter-amqp and configure spring.rabbitmq, mark one ConnectionFactory as"
                                + " @Primary, or remove the property.");
            case AUTO, IN_PROCESS -> {}
        }
        return new InProcessSender(handlers, inbox, properties.handlerThreads());
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.outbox.relay", matchIfMissing = true)
    RelayRunner idempotencyRelayRunner(
            OutboxStore outboxStore,
            OutboxSender sender,
            OutboxHandlers handlers,
            ObjectProvider<InProcessSender> inProcess,
            WakeSignal signal,
            RelayedDatabase relayed,
            IdempotencyDataSource dataSource,
            IdempotencyOutboxProperties properties,
            @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners) {
        Duration sendTimeout = properties.sendTimeout();
        OutboxRelay relay = new OutboxRelay(
                outboxStore,
                sender,
                new RelaySettings(
                        properties.batchSize(),
                        sendTimeout,
                        properties.maxAttempts(),
                        properties.backoff().toBackoff()),
                listeners);
        return new RelayRunner(
                relay,
                signal,
                properties.pollInterval(),
                properties.sampleInterval(),
                sendTimeout.plusSeconds(5),
                () -> {
                    SenderChecks.require(sender, handlers, inProcess.stream().toList());
                    PoolChecks.require(dataSource.dataSource(), !handlers.isEmpty(), properties.notifications());
                    relayed.find();
                });
    }

    /** Otherwise nobody would learn that no relay runs at all. */
    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.outbox.relay", havingValue = false)
    Sampler idempotencyOutboxSampler(
            OutboxStore outboxStore, @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners) {
        return () -> OutboxRelay.sample(outboxStore, listeners);
    }

    @Bean
    @Order(40)
    SummaryPart idempotencyRelaySummary(IdempotencyOutboxProperties properties) {
        return () -> "relay " + (properties.relay() ? "on" : "off");
    }
}
