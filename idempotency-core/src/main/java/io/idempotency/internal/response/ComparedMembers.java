package io.idempotency.internal.response;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.util.NameTransformer;

/**
 * The Jackson module that writes a value which was read, to compare it with its JSON: with the members that its class leaves out if
 * they are null or empty, with a mark for those that are written but not read, because they are computed, and with a copy for each
 * alias, by which it may have been read.
 */
final class ComparedMembers extends SimpleModule {

    /** The text of a member that is not read. */
    static final String COMPUTED = "\0computed";

    /** The beginning of the name of a copy. The alias follows, and behind the same character the name of the member. */
    static final String ALIAS = "\0";

    private static final long serialVersionUID = 1L;

    private final ObjectMapper reading;

    ComparedMembers(ObjectMapper reading) {
        this.reading = reading;
    }

    @Override
    public void setupModule(SetupContext context) {
        context.insertAnnotationIntrospector(new NopAnnotationIntrospector() {

            private static final long serialVersionUID = 1L;

            @Override
            public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
                return JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);
            }
        });
        context.addSerializerModifier(new ValueSerializerModifier() {

            private static final long serialVersionUID = 1L;

            @Override
            public List<BeanPropertyWriter> changeProperties(
                    SerializationConfig config,
                    BeanDescription.Supplier description,
                    List<BeanPropertyWriter> properties) {
                BeanDeserializerBase reader = readerOf(description.getType());
                if (reader == null) {
                    return properties;
                }
                List<BeanPropertyWriter> compared = new ArrayList<>();
                for (BeanPropertyWriter property : properties) {
                    String name = property.getName();
                    compared.add(
                            property.isUnwrapping() || reader.hasProperty(name)
                                    ? property
                                    : new ComputedProperty(property));
                    for (PropertyName alias : property.findAliases(config)) {
                        compared.add(property.rename(
                                NameTransformer.simpleTransformer(ALIAS + alias.getSimpleName() + ALIAS, "")));
                    }
                }
                return compared;
            }
        });
    }

    /** Returns the reader of the members of a type; null if it is read in another way. */
    private @Nullable BeanDeserializerBase readerOf(JavaType type) {
        try {
            if (reading._deserializationContext().findContextualValueDeserializer(type, null)
                    instanceof BeanDeserializerBase bean) {
                ValueInstantiator instantiator = bean.getValueInstantiator();
                return instantiator.canCreateUsingDelegate() || instantiator.canCreateUsingArrayDelegate()
                        ? null
                        : bean;
            }
            return null;
        } catch (JacksonException | IllegalArgumentException unreadable) {
            return null;
        }
    }

    /** Replaces a property without calling its getter, which may fail if an earlier version did not have what it is computed from. */
    private static final class ComputedProperty extends BeanPropertyWriter {

        private static final long serialVersionUID = 1L;

        ComputedProperty(BeanPropertyWriter property) {
            super(property);
        }

        @Override
        public void serializeAsProperty(Object bean, JsonGenerator generator, SerializationContext context) {
            generator.writeName(_name);
            generator.writeString(COMPUTED);
        }
    }
}
