package io.idempotency.boot;

import org.mockito.Mockito;
import org.springframework.util.ClassUtils;

/** Knows the mocks that an application's own tests put in the place of its beans. */
final class TestDoubles {

    private static final boolean MOCKITO_IS_PRESENT =
            ClassUtils.isPresent("org.mockito.Mockito", TestDoubles.class.getClassLoader());

    private TestDoubles() {}

    static boolean include(Object bean) {
        return MOCKITO_IS_PRESENT && Mocks.include(bean);
    }

    /** Loaded only where Mockito is on the class path. */
    private static final class Mocks {

        static boolean include(Object bean) {
            return Mockito.mockingDetails(bean).isMock();
        }
    }
}
