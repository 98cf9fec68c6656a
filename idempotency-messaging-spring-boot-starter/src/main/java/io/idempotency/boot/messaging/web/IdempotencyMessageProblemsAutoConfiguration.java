package io.idempotency.boot.messaging.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.DispatcherServlet;

import io.idempotency.boot.web.Problem;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;

/** The auto-configuration of the problems that senders of webhooks get, in applications with Spring MVC. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
public final class IdempotencyMessageProblemsAutoConfiguration {

    @Bean
    Problem idempotencyMessageGapProblem() {
        return new Problem(
                MessageGapException.class,
                "message-gap",
                HttpStatus.CONFLICT,
                "An earlier message is missing",
                "This message was not handled, because one that belongs before it has not arrived. Deliver it again later.");
    }

    @Bean
    Problem idempotencyMessageConflictProblem() {
        return new Problem(
                MessageConflictException.class,
                "message-conflict",
                HttpStatus.UNPROCESSABLE_CONTENT,
                "Another message has this id",
                "A message with this id and another content was handled before. This one was not.");
    }
}
