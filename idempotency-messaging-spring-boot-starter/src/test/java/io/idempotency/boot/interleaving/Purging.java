package io.idempotency.boot.interleaving;

import java.util.List;
import java.util.Map;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.actuate.IdempotencyEndpointAutoConfiguration;

/** The purge of an application, as an operator starts it: on the thread that asks the endpoint for it. */
record Purging(WebOperation intervene) {

    /** For both applications. */
    static final String EXPOSURE = "management.endpoints.web.exposure.include=idempotency";

    void purge() {
        intervene.invoke(new InvocationContext(
                SecurityContext.NONE, Map.of("operation", "purge", "who", "ada", "reason", "the disk is full")));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({EndpointAutoConfiguration.class, IdempotencyEndpointAutoConfiguration.class})
    static class WithEndpoint {

        @Bean
        Purging purging(ApplicationContext context, ParameterValueMapper mapper) {
            WebEndpointDiscoverer discoverer = new WebEndpointDiscoverer(
                    context, mapper, EndpointMediaTypes.DEFAULT, List.of(), List.of(), List.of(), List.of(), List.of());
            return discoverer.getEndpoints().stream()
                    .flatMap(endpoint -> endpoint.getOperations().stream())
                    .filter(operation -> operation.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.POST)
                    .findFirst()
                    .map(Purging::new)
                    .orElseThrow();
        }
    }
}
