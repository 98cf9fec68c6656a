package io.idempotency.boot.web;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.idempotency.CallerResolver;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyJsonMapper;
import io.idempotency.boot.logging.SummaryPart;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.response.JacksonResponseCodec;

/** The auto-configuration of the {@code Idempotency-Key} header in applications with Spring MVC. */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@EnableConfigurationProperties(IdempotencyHttpProperties.class)
@ImportRuntimeHints(IdempotencyWebRuntimeHints.class)
public final class IdempotencyWebAutoConfiguration {

    static final List<String> REPLAYED_HEADERS = List.of(
            "Content-Encoding", "Content-Language", "Content-Type", "ETag", "Last-Modified", "Link", "Location");

    @Bean
    KeyHeader idempotencyKeyHeader(IdempotencyHttpProperties properties) {
        return new KeyHeader(properties.headerName(), properties.strict());
    }

    @Bean
    UnusedKeyWarning idempotencyUnusedKeyWarning(ObjectProvider<IdempotentOperationSource> operations) {
        return new UnusedKeyWarning(() -> operations.getIfAvailable() != null);
    }

    @Bean
    WebMvcConfigurer idempotencyKeyHeaderConfigurer(
            KeyHeader header, UnusedKeyWarning unusedKeys, ObjectProvider<RequiredCallerInterceptor> requiredCaller) {
        return new WebMvcConfigurer() {
            /** Checks keys first, and callers last, because the application's interceptors may set the caller. */
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new KeyHeaderInterceptor(header)).order(Ordered.HIGHEST_PRECEDENCE);
                registry.addInterceptor(unusedKeys).order(Ordered.HIGHEST_PRECEDENCE + 1);
                requiredCaller.ifAvailable(
                        interceptor -> registry.addInterceptor(interceptor).order(Ordered.LOWEST_PRECEDENCE));
            }

            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new KeyHeaderArgumentResolver(header));
            }
        };
    }

    @Bean
    @Lazy(false)
    @ConditionalOnBooleanProperty(name = "idempotency.http.require-caller")
    RequiredCallerInterceptor idempotencyRequiredCallerInterceptor(ObjectProvider<CallerResolver> callerResolver) {
        return new RequiredCallerInterceptor(callerResolver);
    }

    /** Eager even if beans are lazy, because nothing else would create it. */
    @Bean
    @Lazy(false)
    KeyHeaderParametersCheck idempotencyKeyHeaderParametersCheck(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<RequestMappingHandlerAdapter> adapters,
            ObjectProvider<OperationKind> kinds,
            ObjectProvider<IdempotentBeanVerifier> verifier) {
        return new KeyHeaderParametersCheck(mappings, adapters, kinds, verifier);
    }

    @Bean
    @Lazy(false)
    ComparedArgumentsCheck idempotencyComparedArgumentsCheck(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<IdempotentOperationSource> operations) {
        return new ComparedArgumentsCheck(mappings, operations);
    }

    @Bean
    HandlerRequestContributor idempotencyHandlerRequestContributor() {
        return new HandlerRequestContributor();
    }

    @Bean
    IdempotentReplayedHeader idempotentReplayedHeader(IdempotencyHttpProperties properties) {
        return new IdempotentReplayedHeader(properties.replayedHeaderName());
    }

    @Bean
    ResponseEntityCodec idempotencyResponseEntityCodec(
            IdempotencyHttpProperties properties,
            ObjectProvider<ResponseCodec> codecs,
            ObjectProvider<IdempotencyJsonMapper> json) {
        List<String> headers = new ArrayList<>(REPLAYED_HEADERS);
        headers.addAll(properties.replayHeaders());
        return new ResponseEntityCodec(headers, properties.retryStatus(), codecOfBody(codecs, json));
    }

    /** Gets the mapper lazily, because it does not exist if the library is switched off. */
    private static Function<Type, ResponseCodec> codecOfBody(
            ObjectProvider<ResponseCodec> codecs, ObjectProvider<IdempotencyJsonMapper> json) {
        Supplier<ResponseCodec> jackson = SingletonSupplier.of(
                () -> new JacksonResponseCodec(json.getObject().mapper()));
        Supplier<List<ResponseCodec>> applications =
                SingletonSupplier.of(() -> codecs.orderedStream().toList());
        return type -> applications.get().stream()
                .filter(codec -> codec.supports(type))
                .findFirst()
                .orElseGet(jackson);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.http.problem-details", matchIfMissing = true)
    WebMvcConfigurer idempotencyProblemConfigurer(
            IdempotencyHttpProperties properties, ApplicationContext messages, ObjectProvider<Problem> others) {
        IdempotencyProblems problems = new IdempotencyProblems(properties, messages, others.stream());
        return new WebMvcConfigurer() {
            @Override
            public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
                resolvers.stream()
                        .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                        .map(ExceptionHandlerExceptionResolver.class::cast)
                        .findFirst()
                        .ifPresent(resolver -> resolvers.add(0, new IdempotencyProblemResolver(problems, resolver)));
            }
        };
    }

    @Bean
    @Order(20)
    SummaryPart idempotencyEndpointsSummary(ObjectProvider<RequestMappingHandlerMapping> mappings) {
        return () -> SummaryPart.count(
                mappings.stream()
                        .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                        .filter(handler ->
                                KeyHeaderParameters.all(handler).findAny().isPresent())
                        .distinct()
                        .count(),
                "endpoint with a key header",
                "endpoints with a key header");
    }
}
