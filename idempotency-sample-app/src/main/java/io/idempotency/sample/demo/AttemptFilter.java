package io.idempotency.sample.demo;

import java.io.IOException;
import java.util.Optional;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.filter.OncePerRequestFilter;

/** Recognises the requests of runs. */
class AttemptFilter extends OncePerRequestFilter {

    private final RunningRuns runs;

    private final CurrentAttempt current;

    AttemptFilter(RunningRuns runs, CurrentAttempt current) {
        this.runs = runs;
        this.current = current;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional.ofNullable(request.getHeader(Attempt.HEADER))
                .flatMap(runs::find)
                .ifPresent(attempt -> {
                    attempt.arrived();
                    current.set(attempt);
                });
        try {
            chain.doFilter(request, response);
        } finally {
            current.clear();
        }
    }
}
