package io.idempotency.internal.response;

import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.ext.CoreXMLDeserializers;
import tools.jackson.databind.ext.XMLGregorianCalendarSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * The Jackson module that writes and reads the calendars of JAXB as XML does. Jackson makes them moments, in the machine's time zone if
 * they have none.
 */
final class ExactXmlCalendars extends SimpleModule {

    private static final long serialVersionUID = 1L;

    ExactXmlCalendars() {
        setSerializerModifier(new ValueSerializerModifier() {

            private static final long serialVersionUID = 1L;

            @Override
            public ValueSerializer<?> modifySerializer(
                    SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
                return serializer.getClass() == XMLGregorianCalendarSerializer.class ? new Writer() : serializer;
            }
        });
        setDeserializerModifier(new ValueDeserializerModifier() {

            private static final long serialVersionUID = 1L;

            @Override
            public ValueDeserializer<?> modifyDeserializer(
                    DeserializationConfig config,
                    BeanDescription.Supplier description,
                    ValueDeserializer<?> deserializer) {
                return description.getBeanClass() == XMLGregorianCalendar.class
                                && deserializer instanceof CoreXMLDeserializers.Std
                        ? new Reader()
                        : deserializer;
            }
        });
    }

    private static final class Writer extends ValueSerializer<XMLGregorianCalendar> {

        @Override
        public void serialize(XMLGregorianCalendar value, JsonGenerator generator, SerializationContext context) {
            generator.writeString(value.toXMLFormat());
        }
    }

    private static final class Reader extends ValueDeserializer<XMLGregorianCalendar> {

        @Override
        public XMLGregorianCalendar deserialize(JsonParser parser, DeserializationContext context) {
            return DatatypeFactory.newDefaultInstance()
                    .newXMLGregorianCalendar(parser.getString().trim());
        }
    }
}
