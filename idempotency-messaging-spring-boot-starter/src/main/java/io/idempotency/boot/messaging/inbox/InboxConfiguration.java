package io.idempotency.boot.messaging.inbox;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

import io.idempotency.DatabaseResolver;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.logging.SummaryPart;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.inbox.InboxBinding;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.inbox.InboxTemplate;
import io.idempotency.internal.inbox.MessageRetention;
import io.idempotency.internal.inbox.ReceiverOperation;
import io.idempotency.internal.inbox.ReceiverParser;
import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.messaging.DeliveryObserver;
import io.idempotency.messaging.MessagingListeners;
import io.idempotency.messaging.SafeDeliveryObserver;

/** The configuration of received messages in an application that has calls. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(PostgresMessageStorage.class)
@EnableConfigurationProperties(IdempotencyInboxProperties.class)
final class InboxConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ReceiverParser idempotentReceiverParser(
            ConfigurableBeanFactory beanFactory, ObjectProvider<MessageRetention> retention) {
        return new ReceiverParser(new EmbeddedValueResolver(beanFactory), retention::getObject);
    }

    @Bean
    MessageRetention idempotencyMessageRetention(RetentionPolicy retention, IdempotencyInboxProperties properties) {
        return new MessageRetention(retention, properties.retention(), properties.retentionByConsumer());
    }

    @Bean
    @DependsOnDatabaseInitialization
    InboxStore idempotencyInboxStore(PostgresMessageStorage storage) {
        return storage.inboxStore();
    }

    @Bean
    InboxBinding idempotentInboxBinding(
            InboxStore inboxStore,
            @Qualifier("idempotencyDistinctDatabases") DatabaseResolver databaseResolver,
            NameOwners owners,
            Fingerprinter fingerprinter,
            MessageRetention retention,
            @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners,
            ObjectProvider<DeliveryObserver> observer) {
        return new InboxBinding(
                inboxStore,
                databaseResolver,
                owners,
                fingerprinter,
                retention,
                listeners,
                SafeDeliveryObserver.of(observer.getIfAvailable(() -> DeliveryObserver.NONE)));
    }

    @Bean
    @ConditionalOnMissingBean
    Inbox idempotencyInbox(
            InboxBinding binding,
            IdempotentCallExecutor callExecutor,
            JoinedTransactions transactions,
            InboxStore inboxStore,
            IdempotencyProperties properties,
            @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners) {
        return new InboxTemplate(binding, callExecutor, transactions, inboxStore, properties.waitTimeout(), listeners);
    }

    @Bean
    @Order(10)
    SummaryPart idempotencyReceiversSummary(IdempotentBeanVerifier verifier) {
        return () -> SummaryPart.count(verifier.count(ReceiverOperation.KIND), "receiver", "receivers");
    }
}
