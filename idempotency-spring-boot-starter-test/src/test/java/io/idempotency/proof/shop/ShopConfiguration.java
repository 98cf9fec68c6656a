package io.idempotency.proof.shop;

import java.util.concurrent.Executor;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The application of all services, with two databases. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAsync
@EnableResilientMethods
@Import({WrongShop.class, RightShop.class, Audit.class, Outside.class, Books.class})
class ShopConfiguration {

    @Bean
    Executor taskExecutor() {
        return new ThreadPoolTaskExecutor();
    }

    @Bean(defaultCandidate = false)
    DataSource otherDataSource(DataSource dataSource, JdbcConnectionDetails details) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        if (jdbc.queryForList("select 1 from pg_database where datname = 'other'")
                .isEmpty()) {
            jdbc.execute("create database other");
        }
        HikariDataSource other = new HikariDataSource();
        other.setJdbcUrl(details.getJdbcUrl().replaceFirst("/postgres$", "/other"));
        other.setUsername(details.getUsername());
        other.setPassword(details.getPassword());
        other.setMaximumPoolSize(5);
        new JdbcTemplate(other)
                .execute(
                        "create table if not exists note (id bigint primary key generated always as identity, text text)");
        return other;
    }
}
