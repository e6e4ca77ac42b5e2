import * as $protobuf from "protobufjs/minimal.js";
type Long = $protobuf.Long;

export namespace envoy {

    namespace service {

        namespace ratelimit {

            namespace v3 {

                interface IRateLimitResponse extends envoy.service.ratelimit.v3.RateLimitResponse.$Properties {
                }

                class RateLimitResponse {
                    constructor(properties?: envoy.service.ratelimit.v3.RateLimitResponse.$Properties);
                    $unknowns?: Uint8Array[];
                    overallCode: envoy.service.ratelimit.v3.RateLimitResponse.Code;
                    statuses: envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties[];
                    responseHeadersToAdd: envoy.config.core.v3.HeaderValue.$Properties[];
                    requestHeadersToAdd: envoy.config.core.v3.HeaderValue.$Properties[];
                    rawBody: Uint8Array;
                    dynamicMetadata?: (google.protobuf.Struct.$Properties|null);
                    static encode(message: envoy.service.ratelimit.v3.RateLimitResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
                }

                namespace RateLimitResponse {
                    interface $Properties {
                        overallCode?: (envoy.service.ratelimit.v3.RateLimitResponse.Code|null);
                        statuses?: (envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties[]|null);
                        responseHeadersToAdd?: (envoy.config.core.v3.HeaderValue.$Properties[]|null);
                        requestHeadersToAdd?: (envoy.config.core.v3.HeaderValue.$Properties[]|null);
                        rawBody?: (Uint8Array|null);
                        dynamicMetadata?: (google.protobuf.Struct.$Properties|null);
                        $unknowns?: Uint8Array[];
                    }
                    type $Shape = {
                      overallCode?: envoy.service.ratelimit.v3.RateLimitResponse.Code|null;
                      statuses?: envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Shape[]|null;
                      responseHeadersToAdd?: envoy.config.core.v3.HeaderValue.$Shape[]|null;
                      requestHeadersToAdd?: envoy.config.core.v3.HeaderValue.$Shape[]|null;
                      rawBody?: Uint8Array|null;
                      dynamicMetadata?: google.protobuf.Struct.$Shape|null;
                      $unknowns?: Uint8Array[];
                    };

                    enum Code {
                        UNKNOWN = 0,
                        OK = 1,
                        OVER_LIMIT = 2
                    }

                    interface IRateLimit extends envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties {
                    }

                    class RateLimit {
                        constructor(properties?: envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties);
                        $unknowns?: Uint8Array[];
                        requestsPerUnit: number;
                        unit: envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
                        name: string;
                        static encode(message: envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
                    }

                    namespace RateLimit {
                        interface $Properties {
                            requestsPerUnit?: (number|null);
                            unit?: (envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit|null);
                            name?: (string|null);
                            $unknowns?: Uint8Array[];
                        }
                        type $Shape = envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties;

                        enum Unit {
                            UNKNOWN = 0,
                            SECOND = 1,
                            MINUTE = 2,
                            HOUR = 3,
                            DAY = 4,
                            MONTH = 5,
                            YEAR = 6,
                            WEEK = 7
                        }
                    }

                    interface IDescriptorStatus extends envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties {
                    }

                    class DescriptorStatus {
                        constructor(properties?: envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties);
                        $unknowns?: Uint8Array[];
                        code: envoy.service.ratelimit.v3.RateLimitResponse.Code;
                        currentLimit?: (envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties|null);
                        limitRemaining: number;
                        durationUntilReset?: (google.protobuf.Duration.$Properties|null);
                        static encode(message: envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
                    }

                    namespace DescriptorStatus {
                        interface $Properties {
                            code?: (envoy.service.ratelimit.v3.RateLimitResponse.Code|null);
                            currentLimit?: (envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.$Properties|null);
                            limitRemaining?: (number|null);
                            durationUntilReset?: (google.protobuf.Duration.$Properties|null);
                            $unknowns?: Uint8Array[];
                        }
                        type $Shape = envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.$Properties;
                    }
                }
            }
        }
    }

    namespace config {

        namespace core {

            namespace v3 {

                interface IHeaderValue extends envoy.config.core.v3.HeaderValue.$Properties {
                }

                class HeaderValue {
                    constructor(properties?: envoy.config.core.v3.HeaderValue.$Properties);
                    $unknowns?: Uint8Array[];
                    key: string;
                    value: string;
                    rawValue: Uint8Array;
                    static encode(message: envoy.config.core.v3.HeaderValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
                }

                namespace HeaderValue {
                    interface $Properties {
                        key?: (string|null);
                        value?: (string|null);
                        rawValue?: (Uint8Array|null);
                        $unknowns?: Uint8Array[];
                    }
                    type $Shape = envoy.config.core.v3.HeaderValue.$Properties;
                }
            }
        }
    }
}

export namespace google {

    namespace protobuf {

        interface IDuration extends google.protobuf.Duration.$Properties {
        }

        class Duration {
            constructor(properties?: google.protobuf.Duration.$Properties);
            $unknowns?: Uint8Array[];
            seconds: (number|Long);
            nanos: number;
            static encode(message: google.protobuf.Duration.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
        }

        namespace Duration {
            interface $Properties {
                seconds?: (number|Long|null);
                nanos?: (number|null);
                $unknowns?: Uint8Array[];
            }
            type $Shape = google.protobuf.Duration.$Properties;
        }

        interface IStruct extends google.protobuf.Struct.$Properties {
        }

        class Struct {
            constructor(properties?: google.protobuf.Struct.$Properties);
            $unknowns?: Uint8Array[];
            fields: { [k: string]: google.protobuf.Value.$Properties };
            static encode(message: google.protobuf.Struct.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
        }

        namespace Struct {
            interface $Properties {
                fields?: ({ [k: string]: google.protobuf.Value.$Properties }|null);
                $unknowns?: Uint8Array[];
            }
            type $Shape = {
              fields?: { [k: string]: google.protobuf.Value.$Shape }|null;
              $unknowns?: Uint8Array[];
            };
        }

        interface IValue extends google.protobuf.Value.$Properties {
        }

        class Value {
            constructor(properties?: google.protobuf.Value.$Properties);
            $unknowns?: Uint8Array[];
            nullValue?: (google.protobuf.NullValue|null);
            numberValue?: (number|null);
            stringValue?: (string|null);
            boolValue?: (boolean|null);
            structValue?: (google.protobuf.Struct.$Properties|null);
            listValue?: (google.protobuf.ListValue.$Properties|null);
            kind?: ("nullValue"|"numberValue"|"stringValue"|"boolValue"|"structValue"|"listValue");
            static encode(message: google.protobuf.Value.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
        }

        namespace Value {
            interface $Properties {
                nullValue?: (google.protobuf.NullValue|null);
                numberValue?: (number|null);
                stringValue?: (string|null);
                boolValue?: (boolean|null);
                structValue?: (google.protobuf.Struct.$Properties|null);
                listValue?: (google.protobuf.ListValue.$Properties|null);
                kind?: ("nullValue"|"numberValue"|"stringValue"|"boolValue"|"structValue"|"listValue");
                $unknowns?: Uint8Array[];
            }
            type $Shape = {
              nullValue?: google.protobuf.NullValue|null;
              numberValue?: number|null;
              stringValue?: string|null;
              boolValue?: boolean|null;
              structValue?: google.protobuf.Struct.$Shape|null;
              listValue?: google.protobuf.ListValue.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ kind?: undefined; nullValue?: null; numberValue?: null; stringValue?: null; boolValue?: null; structValue?: null; listValue?: null }|{ kind?: "nullValue"; nullValue: google.protobuf.NullValue; numberValue?: null; stringValue?: null; boolValue?: null; structValue?: null; listValue?: null }|{ kind?: "numberValue"; nullValue?: null; numberValue: number; stringValue?: null; boolValue?: null; structValue?: null; listValue?: null }|{ kind?: "stringValue"; nullValue?: null; numberValue?: null; stringValue: string; boolValue?: null; structValue?: null; listValue?: null }|{ kind?: "boolValue"; nullValue?: null; numberValue?: null; stringValue?: null; boolValue: boolean; structValue?: null; listValue?: null }|{ kind?: "structValue"; nullValue?: null; numberValue?: null; stringValue?: null; boolValue?: null; structValue: google.protobuf.Struct.$Shape; listValue?: null }|{ kind?: "listValue"; nullValue?: null; numberValue?: null; stringValue?: null; boolValue?: null; structValue?: null; listValue: google.protobuf.ListValue.$Shape })
            );
        }

        enum NullValue {
            NULL_VALUE = 0
        }

        interface IListValue extends google.protobuf.ListValue.$Properties {
        }

        class ListValue {
            constructor(properties?: google.protobuf.ListValue.$Properties);
            $unknowns?: Uint8Array[];
            values: google.protobuf.Value.$Properties[];
            static encode(message: google.protobuf.ListValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
        }

        namespace ListValue {
            interface $Properties {
                values?: (google.protobuf.Value.$Properties[]|null);
                $unknowns?: Uint8Array[];
            }
            type $Shape = {
              values?: google.protobuf.Value.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }
    }
}

export namespace grpc {

    namespace health {

        namespace v1 {

            interface IHealthCheckResponse extends grpc.health.v1.HealthCheckResponse.$Properties {
            }

            class HealthCheckResponse {
                constructor(properties?: grpc.health.v1.HealthCheckResponse.$Properties);
                $unknowns?: Uint8Array[];
                status: grpc.health.v1.HealthCheckResponse.ServingStatus;
                static encode(message: grpc.health.v1.HealthCheckResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace HealthCheckResponse {
                interface $Properties {
                    status?: (grpc.health.v1.HealthCheckResponse.ServingStatus|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.health.v1.HealthCheckResponse.$Properties;

                enum ServingStatus {
                    UNKNOWN = 0,
                    SERVING = 1,
                    NOT_SERVING = 2,
                    SERVICE_UNKNOWN = 3
                }
            }
        }
    }

    namespace reflection {

        namespace v1 {

            interface IServerReflectionRequest extends grpc.reflection.v1.ServerReflectionRequest.$Properties {
            }

            class ServerReflectionRequest {
                constructor(properties?: grpc.reflection.v1.ServerReflectionRequest.$Properties);
                $unknowns?: Uint8Array[];
                host: string;
                fileByFilename?: (string|null);
                fileContainingSymbol?: (string|null);
                fileContainingExtension?: (grpc.reflection.v1.ExtensionRequest.$Properties|null);
                allExtensionNumbersOfType?: (string|null);
                listServices?: (string|null);
                messageRequest?: ("fileByFilename"|"fileContainingSymbol"|"fileContainingExtension"|"allExtensionNumbersOfType"|"listServices");
                static encode(message: grpc.reflection.v1.ServerReflectionRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ServerReflectionRequest {
                interface $Properties {
                    host?: (string|null);
                    fileByFilename?: (string|null);
                    fileContainingSymbol?: (string|null);
                    fileContainingExtension?: (grpc.reflection.v1.ExtensionRequest.$Properties|null);
                    allExtensionNumbersOfType?: (string|null);
                    listServices?: (string|null);
                    messageRequest?: ("fileByFilename"|"fileContainingSymbol"|"fileContainingExtension"|"allExtensionNumbersOfType"|"listServices");
                    $unknowns?: Uint8Array[];
                }
                type $Shape = {
                  host?: string|null;
                  fileByFilename?: string|null;
                  fileContainingSymbol?: string|null;
                  fileContainingExtension?: grpc.reflection.v1.ExtensionRequest.$Shape|null;
                  allExtensionNumbersOfType?: string|null;
                  listServices?: string|null;
                  $unknowns?: Uint8Array[];
                } & (
                  ({ messageRequest?: undefined; fileByFilename?: null; fileContainingSymbol?: null; fileContainingExtension?: null; allExtensionNumbersOfType?: null; listServices?: null }|{ messageRequest?: "fileByFilename"; fileByFilename: string; fileContainingSymbol?: null; fileContainingExtension?: null; allExtensionNumbersOfType?: null; listServices?: null }|{ messageRequest?: "fileContainingSymbol"; fileByFilename?: null; fileContainingSymbol: string; fileContainingExtension?: null; allExtensionNumbersOfType?: null; listServices?: null }|{ messageRequest?: "fileContainingExtension"; fileByFilename?: null; fileContainingSymbol?: null; fileContainingExtension: grpc.reflection.v1.ExtensionRequest.$Shape; allExtensionNumbersOfType?: null; listServices?: null }|{ messageRequest?: "allExtensionNumbersOfType"; fileByFilename?: null; fileContainingSymbol?: null; fileContainingExtension?: null; allExtensionNumbersOfType: string; listServices?: null }|{ messageRequest?: "listServices"; fileByFilename?: null; fileContainingSymbol?: null; fileContainingExtension?: null; allExtensionNumbersOfType?: null; listServices: string })
                );
            }

            interface IExtensionRequest extends grpc.reflection.v1.ExtensionRequest.$Properties {
            }

            class ExtensionRequest {
                constructor(properties?: grpc.reflection.v1.ExtensionRequest.$Properties);
                $unknowns?: Uint8Array[];
                containingType: string;
                extensionNumber: number;
                static encode(message: grpc.reflection.v1.ExtensionRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ExtensionRequest {
                interface $Properties {
                    containingType?: (string|null);
                    extensionNumber?: (number|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ExtensionRequest.$Properties;
            }

            interface IServerReflectionResponse extends grpc.reflection.v1.ServerReflectionResponse.$Properties {
            }

            class ServerReflectionResponse {
                constructor(properties?: grpc.reflection.v1.ServerReflectionResponse.$Properties);
                $unknowns?: Uint8Array[];
                validHost: string;
                originalRequest?: (grpc.reflection.v1.ServerReflectionRequest.$Properties|null);
                fileDescriptorResponse?: (grpc.reflection.v1.FileDescriptorResponse.$Properties|null);
                allExtensionNumbersResponse?: (grpc.reflection.v1.ExtensionNumberResponse.$Properties|null);
                listServicesResponse?: (grpc.reflection.v1.ListServiceResponse.$Properties|null);
                errorResponse?: (grpc.reflection.v1.ErrorResponse.$Properties|null);
                messageResponse?: ("fileDescriptorResponse"|"allExtensionNumbersResponse"|"listServicesResponse"|"errorResponse");
                static encode(message: grpc.reflection.v1.ServerReflectionResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ServerReflectionResponse {
                interface $Properties {
                    validHost?: (string|null);
                    originalRequest?: (grpc.reflection.v1.ServerReflectionRequest.$Properties|null);
                    fileDescriptorResponse?: (grpc.reflection.v1.FileDescriptorResponse.$Properties|null);
                    allExtensionNumbersResponse?: (grpc.reflection.v1.ExtensionNumberResponse.$Properties|null);
                    listServicesResponse?: (grpc.reflection.v1.ListServiceResponse.$Properties|null);
                    errorResponse?: (grpc.reflection.v1.ErrorResponse.$Properties|null);
                    messageResponse?: ("fileDescriptorResponse"|"allExtensionNumbersResponse"|"listServicesResponse"|"errorResponse");
                    $unknowns?: Uint8Array[];
                }
                type $Shape = {
                  validHost?: string|null;
                  originalRequest?: grpc.reflection.v1.ServerReflectionRequest.$Shape|null;
                  fileDescriptorResponse?: grpc.reflection.v1.FileDescriptorResponse.$Shape|null;
                  allExtensionNumbersResponse?: grpc.reflection.v1.ExtensionNumberResponse.$Shape|null;
                  listServicesResponse?: grpc.reflection.v1.ListServiceResponse.$Shape|null;
                  errorResponse?: grpc.reflection.v1.ErrorResponse.$Shape|null;
                  $unknowns?: Uint8Array[];
                } & (
                  ({ messageResponse?: undefined; fileDescriptorResponse?: null; allExtensionNumbersResponse?: null; listServicesResponse?: null; errorResponse?: null }|{ messageResponse?: "fileDescriptorResponse"; fileDescriptorResponse: grpc.reflection.v1.FileDescriptorResponse.$Shape; allExtensionNumbersResponse?: null; listServicesResponse?: null; errorResponse?: null }|{ messageResponse?: "allExtensionNumbersResponse"; fileDescriptorResponse?: null; allExtensionNumbersResponse: grpc.reflection.v1.ExtensionNumberResponse.$Shape; listServicesResponse?: null; errorResponse?: null }|{ messageResponse?: "listServicesResponse"; fileDescriptorResponse?: null; allExtensionNumbersResponse?: null; listServicesResponse: grpc.reflection.v1.ListServiceResponse.$Shape; errorResponse?: null }|{ messageResponse?: "errorResponse"; fileDescriptorResponse?: null; allExtensionNumbersResponse?: null; listServicesResponse?: null; errorResponse: grpc.reflection.v1.ErrorResponse.$Shape })
                );
            }

            interface IFileDescriptorResponse extends grpc.reflection.v1.FileDescriptorResponse.$Properties {
            }

            class FileDescriptorResponse {
                constructor(properties?: grpc.reflection.v1.FileDescriptorResponse.$Properties);
                $unknowns?: Uint8Array[];
                fileDescriptorProto: Uint8Array[];
                static encode(message: grpc.reflection.v1.FileDescriptorResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace FileDescriptorResponse {
                interface $Properties {
                    fileDescriptorProto?: (Uint8Array[]|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.FileDescriptorResponse.$Properties;
            }

            interface IExtensionNumberResponse extends grpc.reflection.v1.ExtensionNumberResponse.$Properties {
            }

            class ExtensionNumberResponse {
                constructor(properties?: grpc.reflection.v1.ExtensionNumberResponse.$Properties);
                $unknowns?: Uint8Array[];
                baseTypeName: string;
                extensionNumber: number[];
                static encode(message: grpc.reflection.v1.ExtensionNumberResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ExtensionNumberResponse {
                interface $Properties {
                    baseTypeName?: (string|null);
                    extensionNumber?: (number[]|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ExtensionNumberResponse.$Properties;
            }

            interface IListServiceResponse extends grpc.reflection.v1.ListServiceResponse.$Properties {
            }

            class ListServiceResponse {
                constructor(properties?: grpc.reflection.v1.ListServiceResponse.$Properties);
                $unknowns?: Uint8Array[];
                service: grpc.reflection.v1.ServiceResponse.$Properties[];
                static encode(message: grpc.reflection.v1.ListServiceResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ListServiceResponse {
                interface $Properties {
                    service?: (grpc.reflection.v1.ServiceResponse.$Properties[]|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ListServiceResponse.$Properties;
            }

            interface IServiceResponse extends grpc.reflection.v1.ServiceResponse.$Properties {
            }

            class ServiceResponse {
                constructor(properties?: grpc.reflection.v1.ServiceResponse.$Properties);
                $unknowns?: Uint8Array[];
                name: string;
                static encode(message: grpc.reflection.v1.ServiceResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ServiceResponse {
                interface $Properties {
                    name?: (string|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ServiceResponse.$Properties;
            }

            interface IErrorResponse extends grpc.reflection.v1.ErrorResponse.$Properties {
            }

            class ErrorResponse {
                constructor(properties?: grpc.reflection.v1.ErrorResponse.$Properties);
                $unknowns?: Uint8Array[];
                errorCode: number;
                errorMessage: string;
                static encode(message: grpc.reflection.v1.ErrorResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;
            }

            namespace ErrorResponse {
                interface $Properties {
                    errorCode?: (number|null);
                    errorMessage?: (string|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ErrorResponse.$Properties;
            }
        }
    }
}
