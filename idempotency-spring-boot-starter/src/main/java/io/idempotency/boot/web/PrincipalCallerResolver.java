package io.idempotency.boot.web;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

import io.idempotency.CallerResolver;

/** The caller is whoever Spring Security has authenticated; anonymous users are nobody. */
final class PrincipalCallerResolver implements CallerResolver {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public String resolveCaller() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return trust.isAuthenticated(authentication) && authentication != null ? authentication.getName() : "";
    }
}
