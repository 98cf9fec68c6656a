package io.idempotency.boot.web;

import jakarta.servlet.DispatcherType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.Idempotent;

/** Spring Security with two users, paths for members only and others for everybody. */
@Configuration(proxyBeanMethods = false)
@EnableMethodSecurity
@ImportAutoConfiguration({
    SecurityAutoConfiguration.class,
    SecurityFilterAutoConfiguration.class,
    ServletWebSecurityAutoConfiguration.class
})
class SecuredApplication {

    static final String ALICE = "alice";

    static final String BOB = "bob";

    static UserDetails user(String name, String... roles) {
        return User.withUsername(name).password("{noop}password").roles(roles).build();
    }

    @Bean
    SecurityFilterChain members(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                        .permitAll()
                        .requestMatchers("/members/**")
                        .hasRole("MEMBER")
                        .anyRequest()
                        .permitAll())
                .httpBasic(Customizer.withDefaults())
                .csrf(CsrfConfigurer::disable)
                .build();
    }

    @Bean
    InMemoryUserDetailsManager users() {
        return new InMemoryUserDetailsManager(user(ALICE, "MEMBER"), user(BOB, "MEMBER"));
    }

    @Bean
    Vault vault(JdbcTemplate jdbc) {
        return new Vault(jdbc);
    }

    @RestController
    static class Doors {

        private final Vault vault;

        Doors(Vault vault) {
            this.vault = vault;
        }

        @PostMapping("/members/secret")
        String guardedByItsPath(@IdempotencyKeyHeader String key) {
            return vault.open(key);
        }

        @PostMapping("/secret")
        String guardedByTheMethod(@IdempotencyKeyHeader String key) {
            return vault.openForMembers(key);
        }
    }

    static class Vault {

        private final JdbcTemplate jdbc;

        Vault(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "vault", key = "#key")
        public String open(String key) {
            return "secret " + insert();
        }

        @PreAuthorize("hasRole('MEMBER')")
        @Transactional
        @Idempotent(scope = "vault-for-members", key = "#key")
        public String openForMembers(String key) {
            return "secret " + insert();
        }

        private String insert() {
            return jdbc.queryForObject(
                    "insert into customer_order values (gen_random_uuid(), 'secret') returning id::text", String.class);
        }
    }
}
