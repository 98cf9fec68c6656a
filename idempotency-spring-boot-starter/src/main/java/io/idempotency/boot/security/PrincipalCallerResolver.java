package io.idempotency.boot.security;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;

import io.idempotency.CallerResolver;
import io.idempotency.MissingCallerException;

/**
 * The resolver of callers to the user whom Spring Security has authenticated. An anonymous user is no caller, and a
 * thread without the security context of its request has none. If callers are required, both are refused.
 */
final class PrincipalCallerResolver implements CallerResolver {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    private final Supplier<SecurityContext> context;

    private final boolean required;

    PrincipalCallerResolver(Supplier<SecurityContext> context, boolean required) {
        this.context = context;
        this.required = required;
    }

    @Override
    public String resolveCaller() {
        Authentication authentication = context.get().getAuthentication();
        if (trust.isAuthenticated(authentication) && authentication != null) {
            return nameOf(authentication);
        }
        if (required) {
            throw new MissingCallerException("Nobody is authenticated on this thread, but"
                    + " idempotency.http.require-caller is set: authenticate the request, hand its security context on"
                    + " to the thread that makes the call, or name the caller with IdempotencyOperations");
        }
        return "";
    }

    /** Refuses principals that would share their keys with each other, or have others in each request. */
    private static String nameOf(Authentication authentication) {
        @Nullable String name = authentication.getName();
        if (name == null || name.isEmpty() || isOfIdentity(name, authentication.getPrincipal())) {
            throw new IllegalStateException("The authenticated principal has no name that tells it from others in each"
                    + " request: the name of this " + authentication.getClass().getName() + " is "
                    + (name == null ? "null" : "'" + name + "'")
                    + ". Define a CallerResolver bean that names the caller, or let the class of the principal implement"
                    + " java.security.Principal or UserDetails");
        }
        return name;
    }

    /**
     * Returns whether a name is that of {@link Object#toString}, from which Spring Security makes one if the principal has none. Other
     * principals are not asked for their hash code, which may read from the database.
     */
    private static boolean isOfIdentity(String name, @Nullable Object principal) {
        if (principal == null) {
            return false;
        }
        String start = principal.getClass().getName() + '@';
        return name.startsWith(start) && name.equals(start + Integer.toHexString(principal.hashCode()));
    }
}
