import * as $protobuf from "protobufjs/minimal.js";
type Long = $protobuf.Long;

export namespace envoy {

    namespace service {

        namespace ratelimit {

            namespace v3 {

                interface IRateLimitRequest extends envoy.service.ratelimit.v3.RateLimitRequest.$Properties {
                }

                class RateLimitRequest {
                    constructor(properties?: envoy.service.ratelimit.v3.RateLimitRequest.$Properties);
                    $unknowns?: Uint8Array[];
                    domain: string;
                    descriptors: envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Properties[];
                    hitsAddend: number;
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): envoy.service.ratelimit.v3.RateLimitRequest & envoy.service.ratelimit.v3.RateLimitRequest.$Shape;
                }

                namespace RateLimitRequest {
                    interface $Properties {
                        domain?: (string|null);
                        descriptors?: (envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Properties[]|null);
                        hitsAddend?: (number|null);
                        $unknowns?: Uint8Array[];
                    }
                    type $Shape = envoy.service.ratelimit.v3.RateLimitRequest.$Properties;
                }
            }
        }
    }

    namespace extensions {

        namespace common {

            namespace ratelimit {

                namespace v3 {

                    interface IRateLimitDescriptor extends envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Properties {
                    }

                    class RateLimitDescriptor {
                        constructor(properties?: envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Properties);
                        $unknowns?: Uint8Array[];
                        entries: envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Properties[];
                        limit?: (envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Properties|null);
                        hitsAddend?: (google.protobuf.UInt64Value.$Properties|null);
                        isNegativeHits: boolean;
                        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): envoy.extensions.common.ratelimit.v3.RateLimitDescriptor & envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Shape;
                    }

                    namespace RateLimitDescriptor {
                        interface $Properties {
                            entries?: (envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Properties[]|null);
                            limit?: (envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Properties|null);
                            hitsAddend?: (google.protobuf.UInt64Value.$Properties|null);
                            isNegativeHits?: (boolean|null);
                            $unknowns?: Uint8Array[];
                        }
                        type $Shape = envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.$Properties;

                        interface IEntry extends envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Properties {
                        }

                        class Entry {
                            constructor(properties?: envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Properties);
                            $unknowns?: Uint8Array[];
                            key: string;
                            value: string;
                            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry & envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Shape;
                        }

                        namespace Entry {
                            interface $Properties {
                                key?: (string|null);
                                value?: (string|null);
                                $unknowns?: Uint8Array[];
                            }
                            type $Shape = envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.$Properties;
                        }

                        interface IRateLimitOverride extends envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Properties {
                        }

                        class RateLimitOverride {
                            constructor(properties?: envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Properties);
                            $unknowns?: Uint8Array[];
                            requestsPerUnit: number;
                            unit: envoy.type.v3.RateLimitUnit;
                            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride & envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Shape;
                        }

                        namespace RateLimitOverride {
                            interface $Properties {
                                requestsPerUnit?: (number|null);
                                unit?: (envoy.type.v3.RateLimitUnit|null);
                                $unknowns?: Uint8Array[];
                            }
                            type $Shape = envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride.$Properties;
                        }
                    }
                }
            }
        }
    }

    namespace type {

        namespace v3 {

            enum RateLimitUnit {
                UNKNOWN = 0,
                SECOND = 1,
                MINUTE = 2,
                HOUR = 3,
                DAY = 4,
                MONTH = 5,
                YEAR = 6
            }
        }
    }
}

export namespace google {

    namespace protobuf {

        interface IUInt64Value extends google.protobuf.UInt64Value.$Properties {
        }

        class UInt64Value {
            constructor(properties?: google.protobuf.UInt64Value.$Properties);
            $unknowns?: Uint8Array[];
            value: (number|Long);
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): google.protobuf.UInt64Value & google.protobuf.UInt64Value.$Shape;
        }

        namespace UInt64Value {
            interface $Properties {
                value?: (number|Long|null);
                $unknowns?: Uint8Array[];
            }
            type $Shape = google.protobuf.UInt64Value.$Properties;
        }
    }
}

export namespace grpc {

    namespace health {

        namespace v1 {

            interface IHealthCheckRequest extends grpc.health.v1.HealthCheckRequest.$Properties {
            }

            class HealthCheckRequest {
                constructor(properties?: grpc.health.v1.HealthCheckRequest.$Properties);
                $unknowns?: Uint8Array[];
                service: string;
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.health.v1.HealthCheckRequest & grpc.health.v1.HealthCheckRequest.$Shape;
            }

            namespace HealthCheckRequest {
                interface $Properties {
                    service?: (string|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.health.v1.HealthCheckRequest.$Properties;
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
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.reflection.v1.ServerReflectionRequest & grpc.reflection.v1.ServerReflectionRequest.$Shape;
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
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): grpc.reflection.v1.ExtensionRequest & grpc.reflection.v1.ExtensionRequest.$Shape;
            }

            namespace ExtensionRequest {
                interface $Properties {
                    containingType?: (string|null);
                    extensionNumber?: (number|null);
                    $unknowns?: Uint8Array[];
                }
                type $Shape = grpc.reflection.v1.ExtensionRequest.$Properties;
            }
        }
    }
}
