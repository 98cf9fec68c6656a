package io.idempotency.internal.transaction;

import java.sql.SQLException;
import javax.sql.DataSource;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The test whether two DataSources are, or wrap, the same one. */
public final class SameDataSource {

    private SameDataSource() {}

    /** Returns whether both are, or wrap, the same object. */
    public static boolean isSame(DataSource one, DataSource other) {
        DataSource innerOne = unwrap(one);
        DataSource innerOther = unwrap(other);
        return innerOne == innerOther || wraps(innerOne, innerOther) || wraps(innerOther, innerOne);
    }

    private static DataSource unwrap(DataSource dataSource) {
        if (dataSource instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            return unwrap(delegating.getTargetDataSource());
        }
        return AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target ? unwrap(target) : dataSource;
    }

    private static boolean wraps(DataSource outer, DataSource inner) {
        try {
            return outer.isWrapperFor(inner.getClass()) && outer.unwrap(inner.getClass()) == inner;
        } catch (SQLException notAWrapper) {
            return false;
        }
    }
}
