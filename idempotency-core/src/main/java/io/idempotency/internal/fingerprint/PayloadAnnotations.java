package io.idempotency.internal.fingerprint;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;

/**
 * The application's annotations as they count for payloads, which are compared and not shown: members that are only for
 * requests are written, and so is what depends on a view, a filter, a place or the value.
 */
final class PayloadAnnotations extends AnnotationIntrospectorPair {

    static final JsonInclude.Value ALWAYS =
            JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);

    private static final long serialVersionUID = 1L;

    PayloadAnnotations(AnnotationIntrospector application) {
        super(application, AnnotationIntrospector.nopInstance());
    }

    @Override
    public JsonProperty.@Nullable Access findPropertyAccess(MapperConfig<?> config, Annotated annotated) {
        JsonProperty.Access access = super.findPropertyAccess(config, annotated);
        return access == JsonProperty.Access.WRITE_ONLY ? JsonProperty.Access.READ_WRITE : access;
    }

    /** Returns what the class hides; a place that holds it hides nothing, and setters allow what requests have. */
    @Override
    public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
        JsonIgnoreProperties.Value ignored = super.findPropertyIgnoralByName(config, annotated);
        return annotated instanceof AnnotatedMember || ignored.getAllowSetters()
                ? JsonIgnoreProperties.Value.empty()
                : ignored;
    }

    @Override
    public JsonIncludeProperties.Value findPropertyInclusionByName(MapperConfig<?> config, Annotated annotated) {
        return annotated instanceof AnnotatedMember
                ? JsonIncludeProperties.Value.all()
                : super.findPropertyInclusionByName(config, annotated);
    }

    @Override
    public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
        return ALWAYS;
    }

    @Override
    public Class<?> @Nullable [] findViews(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public @Nullable Object findFilterId(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public JsonSerialize.Typing findSerializationTyping(MapperConfig<?> config, Annotated annotated) {
        return JsonSerialize.Typing.DYNAMIC;
    }

    @Override
    public JavaType refineSerializationType(MapperConfig<?> config, Annotated annotated, JavaType declared) {
        return declared;
    }
}
