package io.idempotency.boot;

import java.util.Arrays;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

import io.idempotency.IdempotencyStartupException;

/**
 * A holder of the application's DataSource of the library's tables. It has a type of its own, because a second
 * DataSource bean would change what the application injects.
 *
 * @param dataSource the DataSource of the library's tables
 */
public record IdempotencyDataSource(DataSource dataSource) {

    static IdempotencyDataSource find(ListableBeanFactory beanFactory, @Nullable String beanName) {
        try {
            return new IdempotencyDataSource(
                    beanName == null
                            ? beanFactory.getBean(DataSource.class)
                            : beanFactory.getBean(beanName, DataSource.class));
        } catch (NoUniqueBeanDefinitionException several) {
            throw new IdempotencyStartupException(
                    "There are several DataSources and none of them is primary: " + namesOf(beanFactory) + ".",
                    "Set idempotency.data-source to the name of the one whose transactions make the effects.",
                    several);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException none) {
            throw new IdempotencyStartupException(
                    beanName == null
                            ? "There is no DataSource to keep idempotency keys in."
                            : "idempotency.data-source = " + beanName
                                    + ", but there is no DataSource of that name; there is: " + namesOf(beanFactory)
                                    + ".",
                    beanName == null
                            ? "Configure spring.datasource.url, or define a DataSource bean of a PostgreSQL database."
                            : "Correct the name, or remove the property to use the primary DataSource.",
                    none);
        }
    }

    private static String namesOf(ListableBeanFactory beanFactory) {
        return Arrays.stream(beanFactory.getBeanNamesForType(DataSource.class)).collect(Collectors.joining(", "));
    }
}
