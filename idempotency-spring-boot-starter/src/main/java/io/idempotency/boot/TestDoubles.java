package io.idempotency.boot;

import org.mockito.Mockito;
import org.springframework.util.ClassUtils;

/** The recognition of mocks, by which tests of an application replace its beans. */
final class TestDoubles {

    private static final boolean MOCKITO_IS_PRESENT =
            ClassUtils.isPresent("org.mockito.Mockito", TestDoubles.class.getClassLoader());

    private TestDoubles() {}

    static boolean isMock(Object bean) {
        return MOCKITO_IS_PRESENT && Mocks.isMock(bean);
    }

    /** Loaded only where Mockito is on the class path. */
    private static final class Mocks {

        static boolean isMock(Object bean) {
            return Mockito.mockingDetails(bean).isMock();
        }
    }
}
