package io.idempotency.boot.messaging.inbox;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.internal.inbox.ReceiverOperation;
import io.idempotency.internal.operation.OperationKind;

/** The auto-configuration of methods with {@link IdempotentReceiver}, and of the {@link Inbox}. */
@AutoConfiguration(after = IdempotencyMessagingAutoConfiguration.class)
@Import(InboxConfiguration.class)
public final class IdempotencyInboxAutoConfiguration {

    /** Exists also where no method is idempotent, because checks and warnings are about annotated methods. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OperationKind idempotentReceivers() {
        return ReceiverOperation.KIND;
    }
}
